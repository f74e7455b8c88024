package io.outbox.jdbc.archive;

import io.outbox.jdbc.internal.Product;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The columns that an archive keeps of an event, in the order in which statements read them. */
final class ArchivedColumns {

  private static final String PAYLOAD = "payload, payload_bytes";

  /** As they are in both tables. */
  static final String ALL =
      "event_id, event_type, aggregate_type, aggregate_id, tenant_id, "
          + PAYLOAD
          + ", content_type, headers, ordering_key, partition_key, status, attempts, available_at,"
          + " created_at, done_at, last_error, seq, lease_no, replayed_at";

  /** The same, for a list: payloads may be large. */
  static final String WITHOUT_PAYLOAD =
      ALL.replace(PAYLOAD, "NULL AS payload, NULL AS payload_bytes");

  private ArchivedColumns() {}

  static OutboxEvent read(Product product, ResultSet row) throws SQLException {
    return OutboxEvent.builder(row.getString(1), row.getString(2))
        .aggregate(row.getString(3), row.getString(4))
        .tenantId(row.getString(5))
        .payloadJson(row.getString(6))
        .payloadBytes(row.getBytes(7), row.getString(8))
        .headersJson(row.getString(9))
        .orderingKey(row.getString(10))
        .partitionKey(row.getString(11))
        .status(EventStatus.fromCode(row.getInt(12)))
        .attempts(row.getInt(13))
        .availableAt(product.instant(row, 14))
        .createdAt(product.instant(row, 15))
        .doneAt(product.instant(row, 16))
        .lastError(row.getString(17))
        .seq(row.getLong(18))
        .leaseNumber(row.getLong(19))
        .replayedAt(product.instant(row, 20))
        .build();
  }
}
