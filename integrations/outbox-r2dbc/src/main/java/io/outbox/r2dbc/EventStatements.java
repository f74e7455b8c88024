package io.outbox.r2dbc;

import io.outbox.jdbc.InsertStatement;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.MySqlOutboxStore;
import io.outbox.spi.NewEvent;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.Statement;
import java.sql.SQLException;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Runs the statements of a JDBC store on R2DBC connections. */
final class EventStatements {

  private static final String SAVEPOINT = "outbox_events";

  private final AbstractJdbcOutboxStore store;
  private final boolean mySql;

  EventStatements(AbstractJdbcOutboxStore store) {
    this.store = store;
    this.mySql = store instanceof MySqlOutboxStore;
  }

  /** All or none, though the transaction may go on. */
  Mono<Void> insert(Connection connection, List<NewEvent> rows) {
    Mono<Void> inserted = Mono.defer(() -> insertAll(connection, rows));
    return mySql ? stillInTransaction(connection).then(inserted) : inserted;
  }

  /**
   * A deadlock ends InnoDB's transaction and leaves the connection in auto-commit mode. Errors do
   * not say so to the driver, but the answer to any statement does.
   */
  private static Mono<Void> stillInTransaction(Connection connection) {
    return Flux.defer(() -> connection.createStatement("DO 0").execute())
        .concatMap(Result::getRowsUpdated)
        .then(
            Mono.defer(
                () ->
                    connection.isAutoCommit()
                        ? Mono.error(
                            new IllegalStateException(
                                "the database has rolled back the transaction, after a deadlock for"
                                    + " example: let it fail, and begin it again"))
                        : Mono.empty()));
  }

  private Mono<Void> insertAll(Connection connection, List<NewEvent> rows) {
    List<InsertStatement> statements = store.insertStatements(rows);
    Mono<Void> all = Flux.fromIterable(statements).concatMap(one -> run(connection, one)).then();
    if (statements.size() == 1) {
      return all;
    }
    return Mono.from(connection.createSavepoint(SAVEPOINT))
        .then(all.onErrorResume(failure -> rollBack(connection, failure)))
        .then(Mono.defer(() -> Mono.from(connection.releaseSavepoint(SAVEPOINT))));
  }

  /** After a deadlock InnoDB has rolled back the whole transaction, its savepoints included. */
  private static Mono<Void> rollBack(Connection connection, Throwable because) {
    return Mono.from(connection.rollbackTransactionToSavepoint(SAVEPOINT))
        .onErrorResume(
            failure -> {
              because.addSuppressed(failure);
              return Mono.empty();
            })
        .then(Mono.error(because));
  }

  private Mono<Void> run(Connection connection, InsertStatement insert) {
    return Mono.defer(
            () -> {
              String sql = mySql ? insert.sql() : numbered(insert.sql());
              Statement statement = connection.createStatement(sql);
              bind(statement, insert.parameters());
              return Flux.from(statement.execute()).concatMap(Result::getRowsUpdated).then();
            })
        .onErrorMap(R2dbcException.class, e -> insert.failure().apply(asSqlException(e)));
  }

  private static void bind(Statement statement, List<InsertStatement.Parameter> parameters) {
    for (int i = 0; i < parameters.size(); i++) {
      InsertStatement.Parameter parameter = parameters.get(i);
      if (parameter.value() == null) {
        statement.bindNull(i, parameter.type());
      } else {
        statement.bind(i, parameter.value());
      }
    }
  }

  /** With parameters that are named $1, $2. */
  static String numbered(String sql) {
    StringBuilder numbered = new StringBuilder(sql.length() * 2);
    int number = 0;
    for (int i = 0; i < sql.length(); i++) {
      char c = sql.charAt(i);
      if (c == '?') {
        numbered.append('$').append(++number);
      } else {
        numbered.append(c);
      }
    }
    return numbered.toString();
  }

  /** So that the store can say what went wrong. */
  private static SQLException asSqlException(R2dbcException e) {
    return new SQLException(e.getMessage(), e.getSqlState(), e.getErrorCode(), e);
  }
}
