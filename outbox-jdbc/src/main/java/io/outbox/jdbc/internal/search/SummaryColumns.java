package io.outbox.jdbc.internal.search;

import io.outbox.jdbc.internal.Product;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventSummary;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The columns of an event that a list shows, in the order in which every statement reads them. */
public final class SummaryColumns {

  /** As they are in the table. */
  static final String RAW =
      "event_id, event_type, aggregate_type, aggregate_id, tenant_id, ordering_key, status,"
          + " attempts, created_at, available_at, done_at, locked_by, locked_at, lease_no, seq,"
          + " last_error, replayed_at, waiting_since";

  /** As they are read: with no more of an error than is shown. */
  public static final String ALL =
      RAW.replace("last_error", "LEFT(last_error, " + EventSummary.ERROR_LENGTH + ") AS error");

  static final int COUNT = 18;

  private SummaryColumns() {}

  public static EventSummary read(Product product, ResultSet row) throws SQLException {
    return new EventSummary(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        EventStatus.fromCode(row.getInt(7)),
        row.getInt(8),
        product.instant(row, 9),
        product.instant(row, 10),
        product.instant(row, 18),
        product.instant(row, 11),
        product.instant(row, 17),
        row.getString(16),
        row.getString(12),
        product.instant(row, 13),
        row.getLong(14),
        row.getLong(15));
  }
}
