package io.outbox.jdbc.internal;

import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Keeps PostgreSQL from plans that were right for another table. It keeps the plan of a statement
 * that is prepared, also one that it made while the table was empty: with 100,000 events in it such
 * a plan takes seconds, until an ANALYZE. And it takes the times of pending events for those of
 * any: of a backlog in a table of many finished events it expects a small part, and would collect
 * and sort the whole for each batch.
 */
public final class PostgresPlans {

  /** For the table as it is. */
  public static final String ANEW =
      "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)";

  /** From one entry of an index to the next: the same plan for any table, which can be kept. */
  private static final String GENERIC = indexOnly("force_generic_plan");

  /**
   * Goes by an index. Always in a transaction: a plan that was once made without these settings is
   * kept as well.
   */
  public static final String BY_INDEX = "SELECT " + GENERIC;

  /**
   * The same in a transaction that only reads and is prepared by nobody else: if its reader has
   * vanished, its session ends.
   */
  public static final String READ_BY_INDEX = BY_INDEX + ", " + EngineTransactions.POSTGRES_READER;

  /** The same for some partitions of a table, which are different ones each time. */
  public static final String BY_INDEX_ANEW = "SELECT " + indexOnly("force_custom_plan");

  /**
   * The same where rows are changed at places that are known: never by an index that has the
   * partition's column as a later one. For an empty partition that looks cheap, and is kept.
   */
  public static final String BY_PLACE =
      BY_INDEX + ", set_config('cpu_index_tuple_cost', '1000', true)";

  /** As a number, whose size the driver knows. */
  private static final String AT_ONCE =
      "SELECT length(concat(" + GENERIC + ", " + EngineTransactions.POSTGRES_READER + ")); ";

  /** The last column of a query that is sent {@link #readAtOnce}. */
  public static final String IS_PREPARED =
      "current_setting('plan_cache_mode') = 'force_generic_plan'";

  /** The same, where others search: what matches has to be sorted, and is different each time. */
  private static final String SEARCH =
      """
      SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
        set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)
      """;

  /**
   * Planning takes longer than finding a few rows. If their plan is a bad one outcomes pile up, and
   * then there are more.
   */
  public static final int FEW = 20;

  private final StoreContext context;
  private final String task;
  private final JdbcTemplate jdbc;

  private static String indexOnly(String planCacheMode) {
    return Stream.of("bitmapscan", "seqscan", "sort", "hashjoin", "mergejoin")
        .map("set_config('enable_%s', 'off', true)"::formatted)
        .collect(
            Collectors.joining(
                ", ",
                "set_config('plan_cache_mode', '"
                    + planCacheMode
                    + "', true), set_config('max_parallel_workers_per_gather', '0', true),"
                    + " set_config('jit', 'off', true), ",
                ""));
  }

  /** {@code task} is for messages. */
  public PostgresPlans(StoreContext context, String task) {
    this.context = context;
    this.task = task;
    this.jdbc = context.template(task);
  }

  /**
   * Reads by an index in one call, without a transaction: PostgreSQL's driver sends the settings
   * and the query together, and what is sent together is a transaction, as long as all columns have
   * a size that it knows: numbers, times and booleans.
   *
   * @param sql its last column is {@link #IS_PREPARED}
   * @return empty if the driver did not, so that the settings have no effect
   */
  public <T> Optional<List<T>> readAtOnce(
      Connection conn, String sql, JdbcTemplate.RowMapper<T> mapper, Object... params) {
    try (PreparedStatement statement = conn.prepareStatement(AT_ONCE + sql)) {
      for (int i = 0; i < params.length; i++) {
        statement.setObject(i + 1, params[i]);
      }
      if (!statement.execute() || !statement.getMoreResults()) {
        return Optional.empty();
      }
      List<T> result = new ArrayList<>();
      boolean prepared = true;
      try (ResultSet rows = statement.getResultSet()) {
        int last = rows.getMetaData().getColumnCount();
        while (rows.next()) {
          prepared &= rows.getBoolean(last);
          result.add(mapper.map(rows));
        }
      }
      return prepared ? Optional.of(result) : Optional.empty();
    } catch (SQLException e) {
      throw context.errors.describe(task, e);
    }
  }

  /** With the settings that the transaction has. */
  public <T> List<T> query(
      Connection conn, String sql, JdbcTemplate.RowMapper<T> mapper, Object... params) {
    return jdbc.query(conn, sql, mapper, params);
  }

  /**
   * For the rest of the transaction: goes along an index until there is enough. PostgreSQL would
   * rather read and sort all rows that match where it thinks they are few, and that it often thinks
   * of a table it has not analyzed yet.
   */
  public void search(Connection conn) {
    jdbc.query(conn, SEARCH, row -> row.getString(1));
  }

  /**
   * Plans as the settings say, one of those above. They end with the transaction, so that there
   * must be one.
   */
  public <T> List<T> query(
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

  /** Plans {@link #ANEW}, but may use a plan that was kept if it is about few rows. */
  public <T> List<T> queryAnew(
      Connection conn, int count, String sql, JdbcTemplate.RowMapper<T> mapper, Object... params) {
    return count <= FEW
        ? jdbc.query(conn, sql, mapper, params)
        : query(conn, ANEW, sql, mapper, params);
  }
}
