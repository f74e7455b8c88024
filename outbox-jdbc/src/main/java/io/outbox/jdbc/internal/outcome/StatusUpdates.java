package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.StorableText;
import io.outbox.jdbc.internal.StoreContext;
import java.sql.Connection;
import java.time.Instant;
import java.util.Objects;

/** The spec's changes of one event by its id, whatever its lease; only while it is pending. */
public final class StatusUpdates {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String doneSql;
  private final String retrySql;
  private final String deadSql;
  private final String deferredSql;

  public StatusUpdates(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("mark an event");
    this.doneSql = sql("status = 1, done_at = ?");
    this.retrySql = sql("status = 2, attempts = attempts + 1, available_at = ?, last_error = ?");
    this.deadSql = sql("status = 3, done_at = ?, last_error = ?");
    this.deferredSql = sql("status = 0, available_at = ?");
  }

  private String sql(String assignments) {
    return """
    %s, locked_by = NULL, locked_at = NULL, claims = 0, starts = 0
    WHERE event_id = ? AND status IN (0, 2)
    """
        .formatted(assignments);
  }

  /** {@code mark} says that it waits, or not any more. */
  private int update(Connection conn, String mark, String sql, Object... params) {
    return jdbc.update(conn, "UPDATE " + context.table + " SET " + mark + sql, params);
  }

  public int done(Connection conn, String eventId, Instant at) {
    return update(conn, context.waiting.clear(conn), doneSql, context.time(at), eventId);
  }

  public int retry(Connection conn, String eventId, Instant nextAt, String error) {
    Objects.requireNonNull(nextAt, "nextAt");
    return update(
        conn,
        context.waiting.set(conn),
        retrySql,
        context.time(nextAt),
        StorableText.error(error),
        eventId);
  }

  public int dead(Connection conn, String eventId, Instant at, String error) {
    return update(
        conn,
        context.waiting.clear(conn),
        deadSql,
        context.time(at),
        StorableText.error(error),
        eventId);
  }

  public int deferred(Connection conn, String eventId, Instant nextAt) {
    return update(conn, context.waiting.set(conn), deferredSql, context.time(nextAt), eventId);
  }
}
