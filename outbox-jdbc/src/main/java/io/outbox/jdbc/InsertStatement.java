package io.outbox.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * A statement that inserts events, for a driver other than JDBC's.
 *
 * @param sql with a question mark for each parameter, and none elsewhere
 * @param parameters one for each question mark, in their order
 * @param failure says in words what went wrong, given what the database said
 */
public record InsertStatement(
    String sql, List<Parameter> parameters, Function<SQLException, OutboxStoreException> failure) {

  public InsertStatement {
    Objects.requireNonNull(sql, "sql");
    parameters = List.copyOf(Objects.requireNonNull(parameters, "parameters"));
    Objects.requireNonNull(failure, "failure");
  }

  /**
   * A value to bind.
   *
   * @param type what the value is of, even if it is null
   * @param value may be null
   */
  public record Parameter(Class<?> type, Object value) {

    public Parameter {
      Objects.requireNonNull(type, "type");
    }
  }
}
