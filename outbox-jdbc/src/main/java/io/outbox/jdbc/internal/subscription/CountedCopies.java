package io.outbox.jdbc.internal.subscription;

import io.outbox.jdbc.internal.PostgresPlans;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventStatus;
import io.outbox.spi.CopyCounts;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * Counts copies by type and status with one statement, among the pending events that are due first
 * or were leased first, and the DEAD events that came last.
 */
final class CountedCopies {

  private static final String MARK = "@@";

  private static final String COUNTS =
      """
      SELECT kind, status, aggregate_type, event_type, COUNT(*), MIN(oldest_at) FROM (
        (SELECT 0 AS kind, status, aggregate_type, event_type, {oldest} AS oldest_at
          FROM {due}{limit})
        UNION ALL
        (SELECT 1, status, aggregate_type, event_type, {oldest} FROM {leased}{limit})
        UNION ALL
        (SELECT 2, status, aggregate_type, event_type, NULL FROM {dead}{limit})) counted
      GROUP BY kind, status, aggregate_type, event_type
      """;

  private record Counted(
      int kind,
      EventStatus status,
      String aggregateType,
      String eventType,
      long n,
      Instant oldest) {

    CopyCounts.OfType toCopies() {
      return new CopyCounts.OfType(aggregateType, eventType, status, n, oldest);
    }
  }

  private final StoreContext context;
  private final PostgresPlans plans;
  private final String sql;

  CountedCopies(StoreContext context) {
    this.context = context;
    this.plans = new PostgresPlans(context, "count copies");
    this.sql = context.product == Product.POSTGRESQL ? partial() : generated();
  }

  private String partial() {
    return COUNTS
        .replace(
            "{due}",
            context.table
                + " WHERE status IN (0, 2) AND locked_by IS NULL ORDER BY available_at, seq")
        .replace(
            "{leased}",
            context.table
                + " WHERE status IN (0, 2) AND locked_by IS NOT NULL ORDER BY locked_at, seq")
        .replace("{dead}", context.table + " WHERE status = 3 ORDER BY created_at DESC, seq DESC");
  }

  private String generated() {
    return COUNTS
        .replace("{due}", context.along("due") + " WHERE due_at >= ? ORDER BY due_at, seq")
        .replace(
            "{leased}", context.along("leased") + " WHERE leased_at >= ? ORDER BY leased_at, seq")
        .replace(
            "{dead}", context.along("finished") + " WHERE status = 3 ORDER BY finished_at DESC");
  }

  CopyCounts count(Connection conn, int scanLimit) {
    return context.atomically("count copies", conn, c -> counted(c, scanLimit));
  }

  private CopyCounts counted(Connection conn, int scanLimit) {
    boolean marked = context.waiting.isKept(conn);
    String text =
        sql.replace("{oldest}", marked ? "COALESCE(waiting_since, available_at)" : "available_at")
            .replace("{limit}", context.product.limit(scanLimit));
    List<Counted> rows;
    if (context.product == Product.POSTGRESQL) {
      plans.search(conn);
      rows = plans.query(conn, text, this::read);
    } else {
      Object always = context.product.beginningOfTime();
      rows = plans.query(conn, text, this::read, always, always);
    }
    return new CopyCounts(
        rows.stream().filter(CountedCopies::isOfCopies).map(Counted::toCopies).toList(),
        sum(rows, 0) < scanLimit && sum(rows, 1) < scanLimit,
        sum(rows, 2) < scanLimit);
  }

  private Counted read(ResultSet row) throws SQLException {
    return new Counted(
        row.getInt(1),
        EventStatus.fromCode(row.getInt(2)),
        row.getString(3),
        row.getString(4),
        row.getLong(5),
        context.instant(row, 6));
  }

  private static boolean isOfCopies(Counted row) {
    return row.aggregateType() != null && row.aggregateType().contains(MARK);
  }

  private static long sum(List<Counted> rows, int kind) {
    return rows.stream().filter(row -> row.kind() == kind).mapToLong(Counted::n).sum();
  }
}
