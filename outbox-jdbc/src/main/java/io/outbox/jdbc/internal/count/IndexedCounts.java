package io.outbox.jdbc.internal.count;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.model.EventStatus;
import io.outbox.operate.Count;
import io.outbox.spi.Backlog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Where an index begins with the status, and the database knows how many rows there are in all. */
public final class IndexedCounts implements EventCounts {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String sql;
  private final String blockedSql;
  private final OldestSql oldest;

  public IndexedCounts(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("look at the table");
    this.oldest = new OldestSql(context);
    this.blockedSql = counted(context.table.sibling("block").toString(), Tally.CAP);
    List<String> columns = statuses(Tally.CAP);
    columns.add(counted(context.along("due") + " WHERE due_at >= ?", Tally.CAP));
    columns.add("l.n, l.stuck");
    columns.add("{oldest}, t.n, t.since");
    // the oldest leases come first: those that are stuck are among them
    this.sql =
        """
        SELECT %s, %%s FROM (
          SELECT COUNT(*) AS n, COUNT(CASE WHEN leased_at < ? THEN 1 END) AS stuck FROM (
            SELECT leased_at FROM %s WHERE leased_at >= ? ORDER BY leased_at LIMIT %s) v) l, (
          SELECT COUNT(*) AS n, MIN(finished_at) AS since FROM (
            SELECT finished_at FROM %s WHERE status = 1 AND finished_at >= ?
            ORDER BY finished_at DESC LIMIT %s) w) t
        """
            .formatted(
                String.join(", ", columns),
                context.along("leased"),
                Tally.CAP,
                context.along("finished"),
                Tally.LATELY);
  }

  /** How many rows each status has. */
  private List<String> statuses(int cap) {
    List<String> columns = new ArrayList<>();
    for (EventStatus status : EventStatus.values()) {
      columns.add(counted(context.along("finished") + " WHERE status = " + status.code(), cap));
    }
    return columns;
  }

  private String counted(String rows, int cap) {
    return "(SELECT COUNT(*) FROM (SELECT 1 AS one FROM %s%s) c)"
        .formatted(rows, context.product.limit(cap));
  }

  @Override
  public Backlog backlog(Connection conn, int cap) {
    boolean waiting = context.waiting.isKept(conn);
    String counts =
        "SELECT "
            + String.join(", ", statuses(cap))
            + ", "
            + oldest.text(waiting)
            + context.product.fromNoTable();
    return jdbc.query(conn, counts, row -> backlog(row, cap), oldest.params(waiting).toArray())
        .get(0);
  }

  private Backlog backlog(ResultSet row, int cap) throws SQLException {
    Map<EventStatus, Long> counts = new EnumMap<>(EventStatus.class);
    for (EventStatus status : EventStatus.values()) {
      counts.put(status, row.getLong(counts.size() + 1));
    }
    return new Backlog(counts, cap, context.instant(row, counts.size() + 1));
  }

  @Override
  public Tally tally(Connection conn, Instant now, Instant leasedBefore, SchemaSnapshot schema) {
    boolean waiting = schema.hasIndex("waiting");
    Object always = context.product.beginningOfTime();
    return jdbc.query(
            conn,
            sql.formatted(schema.hasTable("block") ? blockedSql : "0")
                .replace("{oldest}", oldest.text(waiting)),
            this::read,
            InLists.params(
                List.of(always),
                oldest.params(waiting),
                context.time(leasedBefore),
                always,
                context.time(now.minus(Tally.LATE))))
        .get(0);
  }

  private Tally read(ResultSet row) throws SQLException {
    Map<EventStatus, Count> statuses = new EnumMap<>(EventStatus.class);
    int column = 1;
    for (EventStatus status : EventStatus.values()) {
      statuses.put(status, Tally.capped(row.getLong(column++)));
    }
    int delivered = row.getInt(9);
    return new Tally(
        statuses,
        Tally.capped(row.getLong(5)),
        Tally.capped(row.getLong(6)),
        Tally.capped(row.getLong(7)),
        Tally.capped(row.getLong(11)),
        context.instant(row, 8),
        delivered,
        context.instant(row, 10),
        delivered == Tally.LATELY);
  }

  /** If one status only was not counted to its end, the others say how many it has. */
  @Override
  public Tally estimated(Tally counted, SchemaSnapshot schema) {
    Map<EventStatus, Count> statuses = new EnumMap<>(counted.statuses());
    long rest = schema.rows().orElse(0) - sum(statuses);
    List<EventStatus> open =
        statuses.keySet().stream().filter(status -> !Tally.isExact(statuses.get(status))).toList();
    if (open.size() == 1) {
      statuses.computeIfPresent(
          open.get(0), (status, count) -> EventCounts.orAbout(count, rest + count.value()));
    }
    long pending = statuses.get(EventStatus.NEW).value() + statuses.get(EventStatus.RETRY).value();
    return counted.with(
        statuses,
        EventCounts.orAbout(counted.due(), pending - counted.leased().value()),
        EventCounts.orAbout(counted.leased(), pending - counted.due().value()));
  }

  private static long sum(Map<EventStatus, Count> statuses) {
    return statuses.values().stream().mapToLong(Count::value).sum();
  }
}
