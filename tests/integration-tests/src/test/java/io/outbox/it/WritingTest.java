package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.spi.TxContext;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Timeout;

/** R16: an event is written in the right transaction or not at all. */
@Timeout(300)
class WritingTest {

  /** Nothing was written, and the next write works. */
  private static void assertNothingWritten(Scenario scenario, OutboxWriter writer) {
    assertThat(scenario.counts()).isEmpty();
    scenario.write(writer, Scenario.event());
    scenario.awaitAllDone(1);
    assertThat(scenario.deliveries.count()).isEqualTo(1);
  }

  @EachDatabase
  void R16_aWriteOutsideATransactionFails(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      OutboxWriter writer = outbox.writer();
      for (ThrowingCallable write :
          List.<ThrowingCallable>of(
              () -> writer.write(Scenario.event()),
              () -> writer.write(Scenario.TYPE, "{}"),
              () -> writer.writeAll(Scenario.events(2)))) {
        assertThatThrownBy(write)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("no active transaction");
      }
      try (Transaction transaction = scenario.transactions.begin()) {
        // a transaction belongs to one thread
        assertThatThrownBy(
                () -> CompletableFuture.runAsync(() -> writer.write(Scenario.event())).join())
            .hasRootCauseInstanceOf(IllegalStateException.class)
            .hasMessageContaining("no active transaction");
        transaction.commit();
        assertThatThrownBy(() -> writer.write(Scenario.event()))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("no active transaction");
      }
      assertNothingWritten(scenario, writer);
    }
  }

  @EachDatabase
  void R16_aWriteInATransactionOfAnotherDataSourceFails(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind);
        Scenario other = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      try (Transaction transaction = other.transactions.begin()) {
        assertThatThrownBy(() -> outbox.writer().write(Scenario.event()))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("no active transaction");
        transaction.commit();
      }
      assertThat(other.counts()).isEmpty();
      assertNothingWritten(scenario, outbox.writer());
    }
  }

  @EachDatabase
  void R16_aWriteNeverFallsIntoAutoCommit(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.on(kind);
        Connection autoCommit = scenario.pool.getConnection()) {
      Tap<TxContext> careless =
          new Tap<TxContext>(TxContext.class, scenario.tx)
              .on("isTransactionActive", call -> true)
              .on("currentConnection", call -> autoCommit)
              .on("afterCommit", call -> null)
              .on("afterRollback", call -> null);
      Outbox broken = scenario.start(scenario.singleNode().txContext(careless.proxy()));
      assertThatThrownBy(() -> broken.writer().write(Scenario.event()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("auto-commit");
      broken.close();
      assertNothingWritten(scenario, scenario.start(scenario.singleNode()).writer());
    }
  }

  /** H2 takes no notice of it. */
  @EachServer
  void R16_aWriteInAReadOnlyTransactionFails(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      JdbcTransactionManager readOnly =
          new JdbcTransactionManager(
              () -> {
                Connection conn = scenario.pool.getConnection();
                conn.setReadOnly(true);
                return conn;
              },
              scenario.tx);
      try (Transaction transaction = readOnly.begin()) {
        assertThatThrownBy(() -> outbox.writer().write(Scenario.event()))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("read-only");
      }
      // said to the database only: then it is the database that refuses
      try (Transaction transaction = scenario.transactions.begin();
          Statement statement = transaction.connection().createStatement()) {
        statement.execute("SET TRANSACTION READ ONLY");
        assertThatThrownBy(() -> outbox.writer().write(Scenario.event()))
            .hasMessageContaining("read-only");
      }
      assertNothingWritten(scenario, outbox.writer());
    }
  }
}
