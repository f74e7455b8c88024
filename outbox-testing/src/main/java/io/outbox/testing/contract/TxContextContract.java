package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link TxContext} must do. A subclass says how a transaction of the calling thread is
 * begun and ended.
 */
public abstract class TxContextContract {

  private final List<String> calls = new ArrayList<>();
  private boolean begun;

  protected TxContextContract() {}

  /** The context under test; the same one during a test. */
  protected abstract TxContext txContext();

  protected abstract void begin() throws Exception;

  protected abstract void commit() throws Exception;

  protected abstract void rollback() throws Exception;

  /** Override to return false if there are none; the two methods below are not called then. */
  protected boolean hasSavepoints() {
    return true;
  }

  protected abstract Object createSavepoint() throws Exception;

  protected abstract void rollbackTo(Object savepoint) throws Exception;

  /** The connection that business code of the current transaction gets. */
  protected Connection businessConnection() throws Exception {
    return txContext().currentConnection();
  }

  /** Some frameworks run all tests on one instance. */
  @BeforeEach
  final void forget() {
    calls.clear();
    begun = false;
  }

  @AfterEach
  final void endTransaction() throws Exception {
    if (begun) {
      rollback();
    }
  }

  private void start() throws Exception {
    begin();
    begun = true;
  }

  private void end(Ending ending) throws Exception {
    begun = false;
    ending.run();
  }

  private void onCommit(String name) {
    txContext().afterCommit(() -> calls.add(name));
  }

  private void onRollback(String name) {
    txContext().afterRollback(() -> calls.add(name));
  }

  @Test
  protected void R2_callbacksBeforeTheCommitRunBeforeThoseAfterIt() throws Exception {
    start();
    onCommit("after");
    assumeTrue(txContext().beforeCommit(() -> calls.add("before")), "it tells nothing before");
    Connection own = txContext().currentConnection();
    txContext().beforeCommit(() -> calls.add(isOpen(own) ? "open" : "closed"));
    end(this::commit);

    assertThat(calls).containsExactly("before", "open", "after");
  }

  private static boolean isOpen(Connection connection) {
    try {
      return !connection.isClosed() && !connection.getAutoCommit();
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  protected void callbacksBeforeTheCommitDoNotRunBeforeARollback() throws Exception {
    start();
    onRollback("after");
    assumeTrue(txContext().beforeCommit(() -> calls.add("before")), "it tells nothing before");
    end(this::rollback);

    assertThat(calls).containsExactly("after");
  }

  /** The database may have answered its statement by rolling back. */
  @Test
  protected void R1_aFailureBeforeTheCommitIsTheTransactions() throws Exception {
    start();
    onCommit("committed");
    onRollback("rolled back");
    assumeTrue(
        txContext()
            .beforeCommit(
                () -> {
                  throw new IllegalStateException("there is no transaction any more");
                }),
        "it tells nothing before");

    assertThatThrownBy(() -> end(this::commit))
        .hasStackTraceContaining("there is no transaction any more");
    assertThat(calls).containsExactly("rolled back");
    assertThat(txContext().isTransactionActive()).isFalse();
  }

  @Test
  protected void callbacksBeforeTheCommitOutliveARollbackToASavepoint() throws Exception {
    assumeTrue(hasSavepoints(), "there are no savepoints");
    start();
    Object savepoint = createSavepoint();
    assumeTrue(txContext().beforeCommit(() -> calls.add("before")), "it tells nothing before");
    rollbackTo(savepoint);
    end(this::commit);

    assertThat(calls).containsExactly("before");
  }

  @Test
  protected void outsideATransactionThereIsNothing() {
    TxContext tx = txContext();

    assertThat(tx.isTransactionActive()).isFalse();
    assertThatThrownBy(tx::currentConnection)
        .isInstanceOf(IllegalStateException.class)
        .message()
        .isNotBlank();
    assertThatThrownBy(() -> tx.afterCommit(() -> {})).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> tx.afterRollback(() -> {})).isInstanceOf(IllegalStateException.class);
  }

  @Test
  protected void aTransactionIsActiveUntilItEnds() throws Exception {
    start();
    assertThat(txContext().isTransactionActive()).isTrue();
    end(this::commit);
    assertThat(txContext().isTransactionActive()).isFalse();

    start();
    assertThat(txContext().isTransactionActive()).isTrue();
    end(this::rollback);
    assertThat(txContext().isTransactionActive()).isFalse();
    assertThatThrownBy(() -> txContext().currentConnection())
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  protected void theConnectionIsThatOfTheBusinessCode() throws Exception {
    start();
    Connection connection = txContext().currentConnection();

    assertThat(connection.isClosed()).isFalse();
    assertThat(connection.getAutoCommit()).isFalse();
    assertThat(txContext().currentConnection()).isSameAs(connection);
    assertThat(businessConnection()).isSameAs(connection);
  }

  @Test
  protected void aTransactionBelongsToItsThread() throws Exception {
    start();
    TxContext tx = txContext();
    boolean seen =
        CompletableFuture.supplyAsync(tx::isTransactionActive, task -> new Thread(task).start())
            .get(30, TimeUnit.SECONDS);
    assertThat(seen).isFalse();
  }

  @Test
  protected void afterACommitItsCallbacksRunInTheirOrder() throws Exception {
    start();
    onCommit("first");
    onRollback("never");
    onCommit("second");
    onCommit("third");
    assertThat(calls).isEmpty();
    end(this::commit);

    assertThat(calls).containsExactly("first", "second", "third");
  }

  @Test
  protected void R2_afterARollbackOnlyTheCallbacksForItRun() throws Exception {
    start();
    onCommit("never");
    onRollback("first");
    onRollback("second");
    assertThat(calls).isEmpty();
    end(this::rollback);

    assertThat(calls).containsExactlyInAnyOrder("first", "second");
  }

  @Test
  protected void callbacksRunOnTheThreadOfTheTransaction() throws Exception {
    List<Thread> threads = new ArrayList<>();
    start();
    txContext().afterCommit(() -> threads.add(Thread.currentThread()));
    end(this::commit);

    assertThat(threads).containsExactly(Thread.currentThread());
  }

  @Test
  protected void theNextTransactionStartsWithoutCallbacks() throws Exception {
    start();
    onCommit("first");
    onRollback("never");
    end(this::commit);
    start();
    end(this::rollback);
    start();
    end(this::commit);

    assertThat(calls).containsExactly("first");
  }

  @Test
  protected void R1_aCallbackThatThrowsDoesNotKeepTheOthersFromRunning() throws Exception {
    start();
    onCommit("first");
    txContext()
        .afterCommit(
            () -> {
              throw new IllegalStateException("a callback failed");
            });
    onCommit("second");
    endAndIgnoreFailure(this::commit);
    assertThat(calls).containsExactly("first", "second");
    assertThat(txContext().isTransactionActive()).isFalse();

    calls.clear();
    start();
    txContext()
        .afterRollback(
            () -> {
              throw new IllegalStateException("a callback failed");
            });
    onRollback("third");
    endAndIgnoreFailure(this::rollback);
    assertThat(calls).containsExactly("third");
    assertThat(txContext().isTransactionActive()).isFalse();
  }

  /** Whether the failure of a callback reaches the caller is left open. */
  private void endAndIgnoreFailure(Ending ending) throws Exception {
    try {
      end(ending);
    } catch (RuntimeException ignored) {
      assertThat(ignored).isNotNull();
    }
  }

  @Test
  protected void R1_aCallbackRegisteredAfterTheCommitRunsOrIsRefused() throws Exception {
    List<String> refused = new ArrayList<>();
    start();
    txContext()
        .afterCommit(
            () -> {
              try {
                onCommit("late");
              } catch (IllegalStateException e) {
                refused.add("late");
              }
            });
    end(this::commit);

    assertThat(calls.size() + refused.size()).as("ran or refused, never forgotten").isOne();
  }

  @Test
  protected void R2_aRollbackToASavepointUndoesWhatCameAfterIt() throws Exception {
    assumeTrue(hasSavepoints());
    start();
    onCommit("before");
    onRollback("never");
    Object savepoint = createSavepoint();
    onCommit("never");
    onRollback("undone");
    rollbackTo(savepoint);
    onCommit("after");
    end(this::commit);

    assertThat(calls).containsExactlyInAnyOrder("before", "undone", "after");
    assertThat(calls.indexOf("before")).isLessThan(calls.indexOf("after"));
  }

  @Test
  protected void R2_aRollbackAfterARollbackToASavepointCallsEachOnce() throws Exception {
    assumeTrue(hasSavepoints());
    start();
    onRollback("outer");
    Object savepoint = createSavepoint();
    onRollback("inner");
    rollbackTo(savepoint);
    end(this::rollback);

    assertThat(calls).containsExactlyInAnyOrder("outer", "inner");
  }

  @Test
  protected void R2_anOuterSavepointUndoesTheInnerOnesToo() throws Exception {
    assumeTrue(hasSavepoints());
    start();
    Object outer = createSavepoint();
    onCommit("never");
    onRollback("outer");
    createSavepoint();
    onCommit("never");
    onRollback("inner");
    rollbackTo(outer);
    end(this::commit);

    assertThat(calls).containsExactlyInAnyOrder("outer", "inner");
  }

  /** How a transaction is ended. */
  private interface Ending {
    void run() throws Exception;
  }
}
