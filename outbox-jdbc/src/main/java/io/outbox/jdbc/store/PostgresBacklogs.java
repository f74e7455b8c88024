package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.Backlog;
import io.outbox.model.EventStatus;
import java.sql.Connection;
import java.time.Instant;
import java.util.Map;

/**
 * Small indexes count RETRY and DEAD. The indexes of all that is pending and all that is finished
 * hold these too, so NEW and DONE are counted among as many rows more.
 */
final class PostgresBacklogs implements Backlogs {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String fewSql;
  private final String manySql;

  private record Few(long retry, long dead, Instant oldestWaiting) {}

  PostgresBacklogs(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("count the backlog");
    this.fewSql =
        """
        SELECT
          (SELECT count(*) FROM (
            SELECT 1 FROM %1$s WHERE status = 2 ORDER BY available_at LIMIT ?) r),
          (SELECT count(*) FROM (
            SELECT 1 FROM %1$s WHERE status = 3 ORDER BY created_at, seq LIMIT ?) d),
          (SELECT available_at FROM %1$s WHERE status IN (0, 2) AND locked_by IS NULL
            ORDER BY available_at, seq LIMIT 1)
        """
            .formatted(context.table);
    this.manySql =
        """
        SELECT
          (SELECT count(*) FROM (
            (SELECT status FROM %1$s WHERE status IN (0, 2) AND locked_by IS NULL
              ORDER BY available_at, seq LIMIT ?)
            UNION ALL
            (SELECT status FROM %1$s WHERE status IN (0, 2) AND locked_by IS NOT NULL
              ORDER BY locked_at, seq LIMIT ?)) p WHERE status = 0),
          (SELECT count(*) FROM (
            SELECT status FROM %1$s WHERE status IN (1, 3)
              ORDER BY coalesce(done_at, created_at) LIMIT ?) f WHERE status = 1)
        """
            .formatted(context.table);
  }

  @Override
  public Backlog count(Connection conn, int cap) {
    Few few =
        jdbc.query(
                conn,
                fewSql,
                row -> new Few(row.getLong(1), row.getLong(2), context.product.instant(row, 3)),
                cap,
                cap)
            .get(0);
    long pendingLimit = cap + few.retry();
    long finishedLimit = cap + few.dead();
    Map<EventStatus, Long> counts =
        jdbc.query(
                conn,
                manySql,
                row ->
                    Map.of(
                        EventStatus.NEW, Math.min(cap, row.getLong(1)),
                        EventStatus.DONE, Math.min(cap, row.getLong(2)),
                        EventStatus.RETRY, few.retry(),
                        EventStatus.DEAD, few.dead()),
                pendingLimit,
                pendingLimit,
                finishedLimit)
            .get(0);
    return new Backlog(counts, cap, few.oldestWaiting());
  }
}
