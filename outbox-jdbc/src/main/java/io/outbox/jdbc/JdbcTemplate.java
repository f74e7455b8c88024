package io.outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Runs statements with bound parameters on a connection that stays the caller's. Parameters go to
 * the driver as they are. Thread-safe.
 */
public final class JdbcTemplate {

  /** Maps the current row of a result set to an object. */
  @FunctionalInterface
  public interface RowMapper<T> {
    T map(ResultSet row) throws SQLException;
  }

  private final Function<SQLException, ? extends RuntimeException> errors;

  /** Throws {@link OutboxStoreException}. */
  public JdbcTemplate() {
    this(e -> new OutboxStoreException("a statement failed: " + e.getMessage(), e));
  }

  /** Throws what {@code errors} makes of an {@link SQLException}. */
  public JdbcTemplate(Function<SQLException, ? extends RuntimeException> errors) {
    this.errors = Objects.requireNonNull(errors, "errors");
  }

  /** Runs an INSERT, UPDATE, DELETE or DDL statement; returns how many rows it changed. */
  public int update(Connection conn, String sql, Object... params) {
    try (PreparedStatement statement = conn.prepareStatement(sql)) {
      bind(statement, params);
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw errors.apply(e);
    }
  }

  /** Runs a statement once for each set of parameters, in one batch. */
  public void updateBatch(Connection conn, String sql, List<Object[]> paramSets) {
    try (PreparedStatement statement = conn.prepareStatement(sql)) {
      for (Object[] params : paramSets) {
        bind(statement, params);
        statement.addBatch();
      }
      statement.executeBatch();
    } catch (SQLException e) {
      throw errors.apply(e);
    }
  }

  /** Runs a SELECT. */
  public <T> List<T> query(Connection conn, String sql, RowMapper<T> mapper, Object... params) {
    try (PreparedStatement statement = conn.prepareStatement(sql)) {
      bind(statement, params);
      try (ResultSet rows = statement.executeQuery()) {
        List<T> result = new ArrayList<>();
        while (rows.next()) {
          result.add(mapper.map(rows));
        }
        return result;
      }
    } catch (SQLException e) {
      throw errors.apply(e);
    }
  }

  /** Runs a statement that changes rows and has a RETURNING clause; in no particular order. */
  public <T> List<T> updateReturning(
      Connection conn, String sql, RowMapper<T> mapper, Object... params) {
    return query(conn, sql, mapper, params);
  }

  private static void bind(PreparedStatement statement, Object[] params) throws SQLException {
    for (int i = 0; i < params.length; i++) {
      if (params[i] == null) {
        statement.setNull(i + 1, Types.NULL);
      } else {
        statement.setObject(i + 1, params[i]);
      }
    }
  }
}
