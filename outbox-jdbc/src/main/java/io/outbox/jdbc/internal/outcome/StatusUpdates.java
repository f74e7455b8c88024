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

  public StatusUpdates(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("mark an event");
  }

  /** {@code mark} says that it waits, or not any more. */
  private int update(Connection conn, String mark, String assignments, Object... params) {
    String sql =
        """
        UPDATE %s SET %s%s, locked_by = NULL, locked_at = NULL, claims = 0, starts = 0
        WHERE event_id = ? AND status IN (0, 2)
        """
            .formatted(context.table, mark, assignments);
    return jdbc.update(conn, sql, params);
  }

  public int done(Connection conn, String eventId, Instant at) {
    return update(
        conn, context.waiting.clear(conn), "status = 1, done_at = ?", context.time(at), eventId);
  }

  public int retry(Connection conn, String eventId, Instant nextAt, String error) {
    Objects.requireNonNull(nextAt, "nextAt");
    return update(
        conn,
        context.waiting.set(conn),
        "status = 2, attempts = attempts + 1, available_at = ?, last_error = ?",
        context.time(nextAt),
        StorableText.error(error),
        eventId);
  }

  public int dead(Connection conn, String eventId, Instant at, String error) {
    return update(
        conn,
        context.waiting.clear(conn),
        "status = 3, done_at = ?, last_error = ?",
        context.time(at),
        StorableText.error(error),
        eventId);
  }

  public int deferred(Connection conn, String eventId, Instant nextAt) {
    return update(
        conn,
        context.waiting.set(conn),
        "status = 0, available_at = ?",
        context.time(nextAt),
        eventId);
  }
}
