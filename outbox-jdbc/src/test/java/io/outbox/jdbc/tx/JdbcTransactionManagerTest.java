package io.outbox.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.Target;
import io.outbox.jdbc.tx.JdbcTransactionManager.Savepoint;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JdbcTransactionManagerTest {

  private final ThreadLocalTxContext context = new ThreadLocalTxContext();
  private final AbstractJdbcOutboxStore store = Target.H2.store();

  /** What was done with the connections, and what is to fail. */
  private final List<String> calls = new ArrayList<>();

  private final List<String> failing = new ArrayList<>();
  private boolean autoCommit = true;
  private final JdbcTransactionManager manager = new JdbcTransactionManager(this::connect, context);

  private static final Set<String> WATCHED =
      Set.of("commit", "rollback", "setAutoCommit", "close", "setSavepoint", "releaseSavepoint");

  private Connection connect() throws SQLException {
    Connection real = Target.H2.connect();
    real.setAutoCommit(autoCommit);
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              String call =
                  method.getName() + (method.getName().equals("setAutoCommit") ? args[0] : "");
              if (WATCHED.contains(method.getName())) {
                calls.add(call);
              }
              if (failing.contains(call)) {
                throw new SQLException(call + " fails", "08006");
              }
              try {
                return method.invoke(real, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @BeforeEach
  void empty() throws SQLException {
    Target.H2.deleteAllEvents();
  }

  private void insert(String id) {
    store.insertNew(
        context.currentConnection(),
        EventEnvelope.builder("Tested").eventId(id).payloadJson("{}").build());
  }

  private Set<String> existing(String... ids) throws SQLException {
    try (Connection conn = Target.H2.connect()) {
      return store.findExisting(conn, List.of(ids));
    }
  }

  @Test
  void aCommitKeepsWhatWasDoneAndGivesTheConnectionBackAsItWas() throws SQLException {
    try (Transaction transaction = manager.begin()) {
      insert("kept");
      assertThat(transaction.isActive()).isTrue();
      transaction.commit();
      assertThat(transaction.isActive()).isFalse();
    }
    assertThat(existing("kept")).containsExactly("kept");
    assertThat(calls).containsExactly("setAutoCommitfalse", "commit", "setAutoCommittrue", "close");
  }

  @Test
  void closingWithoutACommitRollsBack() throws SQLException {
    List<String> told = new ArrayList<>();
    try (Transaction transaction = manager.begin()) {
      insert("lost");
      context.afterRollback(() -> told.add("rolled back"));
      context.afterCommit(() -> told.add("committed"));
      assertThat(transaction.connection()).isSameAs(context.currentConnection());
    }
    assertThat(existing("lost")).isEmpty();
    assertThat(told).containsExactly("rolled back");
    assertThat(calls)
        .containsExactly("setAutoCommitfalse", "rollback", "setAutoCommittrue", "close");
  }

  @Test
  void aConnectionThatCameWithAutoCommitOffIsGivenBackSo() {
    autoCommit = false;
    manager.begin().commit();
    assertThat(calls).containsExactly("commit", "close");
  }

  @Test
  void R16_aSecondTransactionOnTheSameThreadIsRefused() {
    try (Transaction transaction = manager.begin()) {
      assertThatThrownBy(manager::begin)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is in a transaction already")
          .hasMessageContaining("savepoint");
      assertThat(transaction.isActive()).isTrue();
    }
    manager.begin().commit();
  }

  @Test
  void R16_outsideATransactionTheContextSaysSo() {
    assertThat(context.isTransactionActive()).isFalse();
    assertThatThrownBy(context::currentConnection)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is in no transaction of this context")
        .hasMessageContaining("JdbcTransactionManager");
  }

  @Test
  void R16_aTransactionOfAnotherDatabaseDoesNotCount() {
    ThreadLocalTxContext other = new ThreadLocalTxContext();
    JdbcTransactionManager otherManager =
        new JdbcTransactionManager(new DataSourceConnectionProvider(Target.H2.dataSource()), other);
    try (Transaction transaction = otherManager.begin()) {
      assertThat(other.currentConnection()).isSameAs(transaction.connection());
      assertThat(context.isTransactionActive()).isFalse();
      assertThatThrownBy(context::currentConnection)
          .hasMessageContaining("in no transaction of this context");
    }
  }

  @Test
  void R2_anUnknownCommitCountsAsARollbackAndReachesTheCaller() {
    failing.add("commit");
    List<String> told = new ArrayList<>();
    Transaction transaction = manager.begin();
    context.afterCommit(() -> told.add("committed"));
    context.afterRollback(() -> told.add("rolled back"));

    assertThatThrownBy(transaction::commit)
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("outcome is unknown")
        .hasCauseInstanceOf(SQLException.class);
    assertThat(told).containsExactly("rolled back");
    assertThat(context.isTransactionActive()).isFalse();
    assertThat(calls).endsWith("commit", "rollback", "setAutoCommittrue", "close");
    transaction.close();
    assertThat(told).hasSize(1);
  }

  @Test
  void R2_aConnectionThatCouldNotRollBackIsNotSwitchedToAutoCommit() {
    failing.addAll(List.of("commit", "rollback"));
    Transaction transaction = manager.begin();
    assertThatThrownBy(transaction::commit).isInstanceOf(OutboxStoreException.class);
    assertThat(calls).endsWith("commit", "rollback", "close").doesNotContain("setAutoCommittrue");
  }

  @Test
  void aFailedRollbackReachesTheCallerAfterTheCallbacks() {
    failing.add("rollback");
    List<String> told = new ArrayList<>();
    Transaction transaction = manager.begin();
    context.afterRollback(() -> told.add("rolled back"));

    assertThatThrownBy(transaction::close)
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("rollback failed");
    assertThat(told).containsExactly("rolled back");
    assertThat(calls).endsWith("close");
  }

  @Test
  void aConnectionThatCannotBeGivenBackInOrderDoesNotSpoilACommit() {
    failing.addAll(List.of("setAutoCommittrue", "close"));
    List<String> told = new ArrayList<>();
    Transaction transaction = manager.begin();
    context.afterCommit(() -> told.add("committed"));
    transaction.commit();
    assertThat(told).containsExactly("committed");
  }

  @Test
  void aConnectionThatCannotBeginIsClosed() {
    failing.add("setAutoCommitfalse");
    assertThatThrownBy(manager::begin)
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("could not begin a transaction");
    assertThat(calls).containsExactly("setAutoCommitfalse", "close");
    assertThat(context.isTransactionActive()).isFalse();
  }

  @Test
  void aCallbackRunsOutsideTheTransactionAndMayBeginAnother() throws SQLException {
    try (Transaction transaction = manager.begin()) {
      context.afterCommit(
          () -> {
            assertThat(calls).endsWith("close");
            manager.run(next -> insert("by callback"));
          });
      insert("first");
      transaction.commit();
    }
    assertThat(existing("first", "by callback")).hasSize(2);
  }

  @Test
  void aTransactionCannotBeUsedByAnotherThread() {
    try (Transaction transaction = manager.begin()) {
      assertThatThrownBy(() -> CompletableFuture.runAsync(transaction::commit).get())
          .isInstanceOf(ExecutionException.class)
          .hasRootCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining("belongs to thread '" + Thread.currentThread().getName() + "'");
      assertThat(transaction.isActive()).isTrue();
    }
  }

  @Test
  void anEndedTransactionCannotBeUsed() {
    Transaction transaction = manager.begin();
    transaction.commit();
    assertThatThrownBy(transaction::commit).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(transaction::rollback).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(transaction::connection).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(transaction::savepoint).isInstanceOf(IllegalStateException.class);
    transaction.close();
  }

  @Test
  void R2_whatWasWrittenAfterASavepointIsUndone() throws SQLException {
    List<String> told = new ArrayList<>();
    try (Transaction transaction = manager.begin()) {
      insert("before");
      context.afterCommit(() -> told.add("before"));
      Savepoint savepoint = transaction.savepoint();
      for (int i = 0; i < 2; i++) {
        insert("undone");
        context.afterCommit(() -> told.add("never"));
        context.afterRollback(() -> told.add("undone"));
        transaction.rollbackTo(savepoint);
      }
      insert("after");
      transaction.commit();
    }
    assertThat(existing("before", "undone", "after")).containsOnly("before", "after");
    assertThat(told).containsExactly("undone", "undone", "before");
  }

  @Test
  void aReleasedOrUndoneSavepointIsOfNoUse() {
    List<String> told = new ArrayList<>();
    try (Transaction transaction = manager.begin()) {
      Savepoint outer = transaction.savepoint();
      Savepoint inner = transaction.savepoint();
      transaction.rollbackTo(outer);
      assertThatThrownBy(() -> transaction.rollbackTo(inner))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("undone by a rollback");
      context.afterCommit(() -> told.add("kept"));
      transaction.release(outer);
      assertThatThrownBy(() -> transaction.rollbackTo(outer))
          .isInstanceOf(IllegalStateException.class);
      transaction.commit();
    }
    assertThat(told).containsExactly("kept");
  }

  @Test
  void runCommitsWhatReturnsAndRollsBackWhatThrows() throws SQLException {
    manager.run(transaction -> insert("kept"));
    int result =
        manager.call(
            transaction -> {
              insert("also kept");
              return 42;
            });
    assertThat(result).isEqualTo(42);
    assertThatThrownBy(
            () ->
                manager.run(
                    transaction -> {
                      insert("lost");
                      throw new IOException("checked exceptions pass");
                    }))
        .isInstanceOf(IOException.class);
    manager.run(
        transaction -> {
          insert("also lost");
          transaction.rollback();
        });
    assertThat(existing("kept", "also kept", "lost", "also lost"))
        .containsOnly("kept", "also kept");
  }
}
