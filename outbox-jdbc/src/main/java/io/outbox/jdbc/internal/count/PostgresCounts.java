package io.outbox.jdbc.internal.count;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.PostgresPlans;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.model.EventStatus;
import io.outbox.operate.Count;
import io.outbox.spi.Backlog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/** Each kind of row has a partial index, which says how many it has, too. */
public final class PostgresCounts implements EventCounts {

  private static final String COUNTED = "(SELECT count(*) AS n FROM (SELECT 1 FROM %s LIMIT %s) w)";

  /** The oldest leases come first: those that are stuck are among them. */
  private static final String COUNTS =
      """
      SELECT d.n, d.fresh, l.n, l.fresh, r.n, x.n, l.stuck, t.n, t.done, t.lately, t.since,
        {oldest},
        {blocked}
      FROM
        (SELECT count(*) AS n, count(*) FILTER (WHERE status = 0) AS fresh FROM (
          SELECT status FROM %1$s WHERE status IN (0, 2) AND locked_by IS NULL
          ORDER BY available_at, seq LIMIT %2$s) w) d,
        (SELECT count(*) AS n, count(*) FILTER (WHERE status = 0) AS fresh,
            count(*) FILTER (WHERE locked_at < ?) AS stuck FROM (
          SELECT status, locked_at FROM %1$s WHERE status IN (0, 2) AND locked_by IS NOT NULL
          ORDER BY locked_at, seq LIMIT %2$s) w) l,
        (SELECT count(*) AS n FROM (
          SELECT 1 FROM %1$s WHERE status = 2 ORDER BY available_at LIMIT %2$s) w) r,
        (SELECT count(*) AS n FROM (
          SELECT 1 FROM %1$s WHERE status = 3 ORDER BY created_at, seq LIMIT %2$s) w) x,
        (SELECT count(*) AS n, count(*) FILTER (WHERE status = 1) AS done,
            count(*) FILTER (WHERE status = 1 AND at >= ?) AS lately,
            min(at) FILTER (WHERE status = 1 AND at >= ?) AS since FROM (
          SELECT status, coalesce(done_at, created_at) AS at FROM %1$s WHERE status IN (1, 3)
          ORDER BY coalesce(done_at, created_at) DESC LIMIT %3$s) w) t
      """;

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final PostgresPlans plans;
  private final String sql;
  private final String blockedSql;
  private final OldestSql oldest;

  public PostgresCounts(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("look at the table");
    this.plans = new PostgresPlans(context, "count the backlog");
    this.oldest = new OldestSql(context);
    this.blockedSql = COUNTED.formatted(context.table.sibling("block"), Tally.CAP);
    this.sql = COUNTS.formatted(context.table, Tally.CAP, Tally.LATELY);
  }

  /**
   * Small indexes count RETRY and DEAD. The indexes of all that is pending and all that is finished
   * hold these too, so NEW and DONE are counted among twice as many rows.
   */
  @Override
  public Backlog backlog(Connection conn, int cap) {
    String counts =
        """
        SELECT
          (SELECT count(*) FROM (
            SELECT 1 FROM %1$s WHERE status = 2 ORDER BY available_at LIMIT %2$s) r),
          (SELECT count(*) FROM (
            SELECT 1 FROM %1$s WHERE status = 3 ORDER BY created_at, seq LIMIT %2$s) d),
          (SELECT count(*) FROM (
            (SELECT status FROM %1$s WHERE status IN (0, 2) AND locked_by IS NULL
              ORDER BY available_at, seq LIMIT %3$s)
            UNION ALL
            (SELECT status FROM %1$s WHERE status IN (0, 2) AND locked_by IS NOT NULL
              ORDER BY locked_at, seq LIMIT %3$s)) p WHERE status = 0),
          (SELECT count(*) FROM (
            SELECT status FROM %1$s WHERE status IN (1, 3)
              ORDER BY coalesce(done_at, created_at) LIMIT %3$s) f WHERE status = 1),
        """
            .formatted(context.table, cap, 2L * cap);
    // For the settings of its plan it needs a transaction.
    return context.atomically(
        "count the backlog",
        conn,
        c ->
            plans
                .query(
                    c,
                    PostgresPlans.BY_INDEX,
                    counts + oldest.text(context.waiting.isKept(c)),
                    row -> backlog(row, cap))
                .get(0));
  }

  private Backlog backlog(ResultSet row, int cap) throws SQLException {
    return new Backlog(
        Map.of(
            EventStatus.RETRY, row.getLong(1),
            EventStatus.DEAD, row.getLong(2),
            EventStatus.NEW, Math.min(cap, row.getLong(3)),
            EventStatus.DONE, Math.min(cap, row.getLong(4))),
        cap,
        context.instant(row, 5));
  }

  @Override
  public Tally tally(Connection conn, Instant now, Instant leasedBefore, SchemaSnapshot schema) {
    Object hourAgo = context.time(now.minus(Tally.LATE));
    return jdbc.query(
            conn,
            sql.replace("{oldest}", oldest.text(schema.hasIndex("waiting")))
                .replace("{blocked}", schema.hasTable("block") ? blockedSql : "0"),
            this::read,
            context.time(leasedBefore),
            hourAgo,
            hourAgo)
        .get(0);
  }

  private Tally read(ResultSet row) throws SQLException {
    Count due = Tally.capped(row.getLong(1));
    Count leased = Tally.capped(row.getLong(3));
    boolean allPending = Tally.isExact(due) && Tally.isExact(leased);
    long fresh = row.getLong(2) + row.getLong(4);
    int finished = row.getInt(8);
    int done = row.getInt(9);
    int delivered = row.getInt(10);
    boolean more = finished == Tally.LATELY;
    return new Tally(
        Map.of(
            EventStatus.NEW,
            allPending ? Count.exactly(fresh) : Count.atLeast(fresh),
            EventStatus.RETRY,
            Tally.capped(row.getLong(5)),
            EventStatus.DEAD,
            Tally.capped(row.getLong(6)),
            EventStatus.DONE,
            more ? Count.atLeast(done) : Count.exactly(done)),
        due,
        leased,
        Tally.capped(row.getLong(7)),
        Tally.capped(row.getLong(13)),
        context.instant(row, 12),
        delivered,
        context.instant(row, 11),
        more && delivered == done);
  }

  @Override
  public Tally estimated(Tally counted, SchemaSnapshot schema) {
    Count due = about(counted.due(), schema, "due");
    Count leased = about(counted.leased(), schema, "leased");
    Count retry = about(counted.count(EventStatus.RETRY), schema, "retrying");
    Count dead = about(counted.count(EventStatus.DEAD), schema, "dead");
    Count fresh = counted.count(EventStatus.NEW);
    Count done = counted.count(EventStatus.DONE);
    Map<EventStatus, Count> statuses = new EnumMap<>(EventStatus.class);
    statuses.put(
        EventStatus.NEW, EventCounts.orAbout(fresh, due.value() + leased.value() - retry.value()));
    statuses.put(EventStatus.RETRY, retry);
    statuses.put(EventStatus.DEAD, dead);
    statuses.put(
        EventStatus.DONE,
        EventCounts.orAbout(done, schema.rows("finished").orElse(0) - dead.value()));
    return counted.with(statuses, due, leased);
  }

  private static Count about(Count count, SchemaSnapshot schema, String index) {
    return EventCounts.orAbout(count, schema.rows(index).orElse(0));
  }
}
