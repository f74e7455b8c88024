package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.model.EventStatus;
import io.outbox.spi.TxContext;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * R2: InnoDB answers a deadlock by rolling back the whole transaction. An application that repeats
 * only the failed statement and commits has written no event, though nobody told the outbox.
 */
@Timeout(300)
@Tag("each-database")
class DeadlockTest {

  private static final int DEADLOCK = 1213;
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  /** Enough for the other transaction not to be the victim. */
  private static final int ACCOUNTS = 300;

  private static final String ALL_BUT_THE_FIRST =
      "UPDATE account FORCE INDEX (PRIMARY) SET n = n + 1 WHERE id > 1";

  private static final TestDatabase KIND = Databases.innoDb();

  /** What a TxContext of a user's own has. */
  private record SpecOnlyContext(TxContext target) implements TxContext {
    @Override
    public boolean isTransactionActive() {
      return target.isTransactionActive();
    }

    @Override
    public Connection currentConnection() {
      return target.currentConnection();
    }

    @Override
    public void afterCommit(Runnable callback) {
      target.afterCommit(callback);
    }

    @Override
    public void afterRollback(Runnable callback) {
      target.afterRollback(callback);
    }
  }

  private static void createAccounts(Scenario scenario) {
    scenario.update("CREATE TABLE account (id INT PRIMARY KEY, n INT NOT NULL)");
    for (int id = 1; id <= ACCOUNTS; id++) {
      scenario.update("INSERT INTO account VALUES (?, 0)", id);
    }
  }

  private static void execute(Connection conn, String sql) {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private static void assertFailsWith(int code, Runnable work) {
    assertThatThrownBy(work::run)
        .rootCause()
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(code));
  }

  /** Runs {@code writing}, loses a deadlock, repeats the statement that failed, and commits. */
  private static void writeAndLoseADeadlock(
      Scenario scenario, Runnable writing, Runnable writingAfterwards) throws Exception {
    try (Connection other = scenario.pool.getConnection();
        Transaction transaction = scenario.transactions.begin()) {
      other.setAutoCommit(false);
      execute(other, ALL_BUT_THE_FIRST);
      execute(transaction.connection(), "UPDATE account SET n = n + 1 WHERE id = 1");
      writing.run();
      CompletableFuture<Void> blocked =
          CompletableFuture.runAsync(
              () -> execute(other, "UPDATE account SET n = n + 1 WHERE id = 1"));
      String second = "UPDATE account SET n = n + 1 WHERE id = 2";
      assertFailsWith(DEADLOCK, () -> execute(transaction.connection(), second));
      blocked.get(30, TimeUnit.SECONDS);
      other.commit();
      other.setAutoCommit(true);
      execute(transaction.connection(), second);
      writingAfterwards.run();
      transaction.commit();
    }
  }

  private static Outbox start(Scenario scenario, boolean many, boolean specOnly) {
    TxContext context = specOnly ? new SpecOnlyContext(scenario.tx) : scenario.tx;
    if (!many) {
      return scenario.start(scenario.singleNode().txContext(context));
    }
    return new Member(scenario, "a")
        .start(
            Duration.ofSeconds(30),
            builder -> builder.txContext(context).listenerRegistry(scenario.registry))
        .outbox();
  }

  private static void assertOnlyDelivered(Scenario scenario, Outbox outbox, List<String> ids) {
    scenario.awaitAllDone(ids.size());
    outbox.close(); // delivers what is queued
    assertThat(scenario.deliveries.ids()).containsExactlyInAnyOrderElementsOf(ids);
  }

  private static void loseBeforeAnEvent(boolean many, boolean specOnly) throws Exception {
    try (Scenario scenario = Scenario.on(KIND)) {
      createAccounts(scenario);
      Outbox outbox = start(scenario, many, specOnly);
      OutboxWriter writer = outbox.writer();
      String before = scenario.write(writer, Scenario.event());
      writeAndLoseADeadlock(
          scenario,
          () -> {
            writer.write(Scenario.event());
            writer.writeAll(Scenario.events(3));
          },
          () -> {});
      String after = scenario.write(writer, Scenario.event());

      assertOnlyDelivered(scenario, outbox, List.of(before, after));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void R2_eventsThatADeadlockRolledBackAreNotDelivered(boolean many) throws Exception {
    loseBeforeAnEvent(many, false);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void R2_neitherAreTheyWhereNobodyTellsOfTheCommitBefore(boolean many) throws Exception {
    loseBeforeAnEvent(many, true);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void R2_anEventWrittenAfterTheDeadlockIsDeliveredAtOnce(boolean specOnly) throws Exception {
    try (Scenario scenario = Scenario.on(KIND)) {
      createAccounts(scenario);
      Outbox outbox = start(scenario, false, specOnly);
      EventEnvelope kept = Scenario.event();
      writeAndLoseADeadlock(
          scenario,
          () -> outbox.writer().write(Scenario.event()),
          () -> outbox.writer().write(kept));
      assertOnlyDelivered(scenario, outbox, List.of(kept.eventId()));
    }
  }

  /** A lock that is not given in time ends the statement, not the transaction. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void R2_anEventOutlivesAStatementThatWaitedTooLong(boolean many) throws Exception {
    try (Scenario scenario = Scenario.on(KIND)) {
      createAccounts(scenario);
      Outbox outbox = start(scenario, many, false);
      String id;
      try (Connection other = scenario.pool.getConnection();
          Transaction transaction = scenario.transactions.begin()) {
        other.setAutoCommit(false);
        execute(other, "UPDATE account SET n = n + 1 WHERE id = 1");
        execute(transaction.connection(), "SET innodb_lock_wait_timeout = 1");
        id = outbox.writer().write(Scenario.event());
        assertFailsWith(
            LOCK_WAIT_TIMEOUT,
            () -> execute(transaction.connection(), "UPDATE account SET n = n + 1 WHERE id = 1"));
        other.rollback();
        other.setAutoCommit(true);
        transaction.commit();
      }
      assertOnlyDelivered(scenario, outbox, List.of(id));
    }
  }

  /** The savepoint before the first of several statements is gone with the transaction. */
  @Test
  void anInsertInManyStatementsSaysThatItLostADeadlock() throws Exception {
    try (Scenario scenario = Scenario.on(KIND)) {
      createAccounts(scenario);
      Outbox outbox = start(scenario, false, false);
      EventEnvelope contested = Scenario.event();
      List<EventEnvelope> many = new ArrayList<>(Scenario.events(300));
      many.add(contested);
      try (Connection other = scenario.pool.getConnection();
          Transaction transaction = scenario.transactions.begin()) {
        other.setAutoCommit(false);
        for (int i = 0; i < 11; i++) { // heavier than the insert
          execute(other, ALL_BUT_THE_FIRST);
        }
        scenario.store.insertNew(other, contested);
        execute(transaction.connection(), "UPDATE account SET n = n + 1 WHERE id = 1");
        CompletableFuture<Void> blocked =
            CompletableFuture.runAsync(
                () -> execute(other, "UPDATE account SET n = n + 1 WHERE id = 1"));
        assertFailsWith(DEADLOCK, () -> outbox.writer().writeAll(many));
        blocked.get(30, TimeUnit.SECONDS);
        other.rollback();
        other.setAutoCommit(true);
        transaction.rollback();
      }
      String next = scenario.write(outbox.writer(), Scenario.event());
      scenario.awaitStatus(next, EventStatus.DONE);
    }
  }
}
