package io.outbox.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.testdb.TestDatabase;
import io.r2dbc.spi.R2dbcException;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class MariaDbPlainTest extends PlainContract {

  MariaDbPlainTest() {
    super(TestDatabase.MARIADB);
  }

  /** The server is back in auto-commit mode then, and its error does not say so to the driver. */
  @Test
  void R2_afterADeadlockHasEndedTheTransactionNothingIsWritten() throws Exception {
    database.update("INSERT INTO orders (id) VALUES ('left'), ('right')");
    R2dbcOutbox reactive = new R2dbcOutbox(outbox, database.store);

    try (Connection other = database.dataSource.getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      // The server rolls back the transaction that has changed less.
      for (int i = 0; i < 50; i++) {
        statement.executeUpdate("INSERT INTO orders (id) VALUES ('other-" + i + "')");
      }
      statement.executeUpdate("DELETE FROM orders WHERE id = 'right'");

      assertThatThrownBy(
              () ->
                  reactive
                      .inTransaction(
                          database.pool,
                          tx ->
                              execute(tx.connection(), "DELETE FROM orders WHERE id = 'left'")
                                  .then(deadlock(tx, statement))
                                  .then(tx.write("Late", "{}")))
                      .block(SOON))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("rolled back");
      other.rollback();
    }

    assertThat(database.eventIds()).isEmpty();
    assertThat(delivered.count()).isZero();
    assertThat(database.orders()).containsExactly("left", "right");
  }

  private static Mono<Void> deadlock(R2dbcTransaction tx, Statement other) {
    return Mono.defer(
        () -> {
          CompletableFuture<Integer> waits =
              CompletableFuture.supplyAsync(
                  () -> {
                    try {
                      return other.executeUpdate("DELETE FROM orders WHERE id = 'left'");
                    } catch (java.sql.SQLException e) {
                      throw new IllegalStateException(e);
                    }
                  });
          return execute(tx.connection(), "DELETE FROM orders WHERE id = 'right'")
              .onErrorResume(R2dbcException.class, deadlock -> Mono.empty())
              .then(Mono.fromFuture(waits))
              .then();
        });
  }
}
