package io.outbox.jdbc.archive;

import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.Product;
import io.outbox.model.OutboxEvent;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The columns that an archive keeps of an event, in the order in which statements read them. */
final class ArchivedColumns {

  private static final String PAYLOAD = "payload, payload_bytes";

  /** As they are in both tables. */
  static final String ALL = EventColumns.CONTENT + ", seq, lease_no, replayed_at";

  /** The same, for a list: payloads may be large. */
  static final String WITHOUT_PAYLOAD =
      ALL.replace(PAYLOAD, "NULL AS payload, NULL AS payload_bytes");

  private ArchivedColumns() {}

  static OutboxEvent read(Product product, ResultSet row) throws SQLException {
    return EventColumns.content(product, row)
        .seq(row.getLong(18))
        .leaseNumber(row.getLong(19))
        .replayedAt(product.instant(row, 20))
        .build();
  }
}
