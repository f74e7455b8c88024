package io.outbox.jdbc.internal.count;

import io.outbox.jdbc.internal.PostgresPlans;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventStatus;
import io.outbox.spi.Backlog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/**
 * Small indexes count RETRY and DEAD. The indexes of all that is pending and all that is finished
 * hold these too, so NEW and DONE are counted among twice as many rows.
 */
public final class PostgresBacklogs implements Backlogs {

  private static final String ACTION = "count the backlog";

  private final StoreContext context;
  private final PostgresPlans jdbc;
  private final OldestSql oldest;
  private final String sql;

  public PostgresBacklogs(StoreContext context) {
    this.context = context;
    this.jdbc = new PostgresPlans(context, ACTION);
    this.oldest = new OldestSql(context);
    this.sql =
        """
        SELECT
          (SELECT count(*) FROM (
            SELECT 1 FROM %1$s WHERE status = 2 ORDER BY available_at LIMIT ?) r),
          (SELECT count(*) FROM (
            SELECT 1 FROM %1$s WHERE status = 3 ORDER BY created_at, seq LIMIT ?) d),
          (SELECT count(*) FROM (
            (SELECT status FROM %1$s WHERE status IN (0, 2) AND locked_by IS NULL
              ORDER BY available_at, seq LIMIT ?)
            UNION ALL
            (SELECT status FROM %1$s WHERE status IN (0, 2) AND locked_by IS NOT NULL
              ORDER BY locked_at, seq LIMIT ?)) p WHERE status = 0),
          (SELECT count(*) FROM (
            SELECT status FROM %1$s WHERE status IN (1, 3)
              ORDER BY coalesce(done_at, created_at) LIMIT ?) f WHERE status = 1),
        """
            .formatted(context.table);
  }

  @Override
  public Backlog count(Connection conn, int cap) {
    return context.atomically(ACTION, conn, c -> read(c, cap)); // for the settings of its plan
  }

  private Backlog read(Connection conn, int cap) {
    long twice = 2L * cap;
    return jdbc.queryByIndex(
            conn,
            sql + oldest.text(context.waiting.isKept(conn)),
            row -> read(row, cap),
            cap,
            cap,
            twice,
            twice,
            twice)
        .get(0);
  }

  private Backlog read(ResultSet row, int cap) throws SQLException {
    return new Backlog(
        Map.of(
            EventStatus.RETRY, row.getLong(1),
            EventStatus.DEAD, row.getLong(2),
            EventStatus.NEW, Math.min(cap, row.getLong(3)),
            EventStatus.DONE, Math.min(cap, row.getLong(4))),
        cap,
        context.instant(row, 5));
  }
}
