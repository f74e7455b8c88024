package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Has a statement planned for the table as it is. PostgreSQL keeps the plan of a statement that is
 * prepared, also one that it made while the table was empty: with 100,000 events in it such a plan
 * takes seconds, until an ANALYZE.
 */
final class PostgresPlans {

  private static final String ANEW =
      "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)";

  private static final String ANEW_IN_ORDER =
      ANEW + ", set_config('enable_bitmapscan', 'off', true)";

  /**
   * Planning takes longer than finding a few rows. If their plan is a bad one outcomes pile up, and
   * then there are more.
   */
  private static final int FEW = 20;

  private final StoreContext context;
  private final String task;
  private final JdbcTemplate jdbc;

  /** {@code task} is for messages. */
  PostgresPlans(StoreContext context, String task) {
    this.context = context;
    this.task = task;
    this.jdbc = context.template(task);
  }

  /** The setting ends with the transaction, so that there must be one. */
  <T> List<T> query(
      Connection conn, String sql, JdbcTemplate.RowMapper<T> mapper, Object... params) {
    return query(conn, ANEW, sql, mapper, params);
  }

  /**
   * As {@link #query}, for the first few rows in the order of an index. PostgreSQL takes the times
   * of pending events for those of any, so that behind a cursor it expects a small part of what is
   * there; it would rather collect that with a bitmap and sort it, which is all of a backlog, for
   * each batch.
   */
  <T> List<T> queryInOrder(
      Connection conn, String sql, JdbcTemplate.RowMapper<T> mapper, Object... params) {
    return query(conn, ANEW_IN_ORDER, sql, mapper, params);
  }

  private <T> List<T> query(
      Connection conn,
      String settings,
      String sql,
      JdbcTemplate.RowMapper<T> mapper,
      Object... params) {
    if (isInTransaction(conn)) {
      jdbc.query(conn, settings, row -> row.getString(1));
    }
    return jdbc.query(conn, sql, mapper, params);
  }

  private boolean isInTransaction(Connection conn) {
    try {
      return !conn.getAutoCommit();
    } catch (SQLException e) {
      throw context.errors.describe(task, e);
    }
  }

  /** As {@link #query}, but may use a plan that was kept if it is about {@code count} rows only. */
  <T> List<T> query(
      Connection conn, int count, String sql, JdbcTemplate.RowMapper<T> mapper, Object... params) {
    return count <= FEW ? jdbc.query(conn, sql, mapper, params) : query(conn, sql, mapper, params);
  }
}
