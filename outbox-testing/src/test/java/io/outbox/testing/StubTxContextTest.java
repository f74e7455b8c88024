package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StubTxContextTest {

  private final InMemoryOutboxStore store = new InMemoryOutboxStore();
  private final StubTxContext tx = new StubTxContext(store.database());
  private final List<String> calls = new ArrayList<>();

  private void write() {
    store.insertNew(tx.currentConnection(), EventEnvelope.ofJson("Tested", "{}"));
    tx.afterCommit(() -> calls.add("committed"));
    tx.afterRollback(() -> calls.add("rolled back"));
  }

  @Test
  void whatIsDoneInATransactionIsCommitted() {
    tx.inTransaction(this::write);

    assertThat(store.size()).isOne();
    assertThat(calls).containsExactly("committed");
    assertThat(store.database().openConnections()).isZero();
  }

  @Test
  void whatThrowsIsRolledBack() {
    assertThatThrownBy(
            () ->
                tx.inTransaction(
                    () -> {
                      write();
                      throw new IllegalArgumentException("business");
                    }))
        .hasMessage("business");

    assertThat(store.size()).isZero();
    assertThat(calls).containsExactly("rolled back");
    assertThat(store.database().openConnections()).isZero();
  }

  @Test
  void aCommitOfUnknownEndCountsAsARollback() {
    store.faults().failNextAfterwards(StoreOperation.COMMIT, 1);

    assertThatThrownBy(() -> tx.inTransaction(this::write))
        .isInstanceOf(IllegalStateException.class)
        .hasCauseInstanceOf(SQLException.class);
    assertThat(calls).containsExactly("rolled back");
    assertThat(tx.isTransactionActive()).isFalse();
    assertThat(store.database().openConnections()).isZero();
  }

  @Test
  void aSavepointUndoesTheRowsAndTheirCallbacks() {
    tx.begin();
    write();
    StubTxContext.Savepoint savepoint = tx.savepoint();
    write();
    tx.rollbackTo(savepoint);
    assertThat(calls).containsExactly("rolled back");
    tx.commit();

    assertThat(store.size()).isOne();
    assertThat(calls).containsExactly("rolled back", "committed");
  }

  @Test
  void aCallbackIsOutsideTheTransaction() {
    tx.inTransaction(
        () -> tx.afterCommit(() -> calls.add(tx.isTransactionActive() ? "inside" : "outside")));
    assertThat(calls).containsExactly("outside");
  }

  @Test
  void theFailureOfACallbackIsNotHidden() {
    tx.begin();
    tx.afterCommit(
        () -> {
          throw new IllegalArgumentException("callback");
        });
    tx.afterCommit(() -> calls.add("still called"));

    tx.afterCommit(
        () -> {
          throw new IllegalArgumentException("another");
        });

    assertThatThrownBy(tx::commit)
        .hasMessage("callback")
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("another"));
    assertThat(calls).containsExactly("still called");
  }

  @Test
  void aRollbackThatFailsIsARollbackAllTheSame() {
    store.faults().failNext(StoreOperation.ROLLBACK, 1);
    tx.begin();
    write();

    assertThatThrownBy(tx::rollback).hasCauseInstanceOf(SQLException.class);
    assertThat(calls).containsExactly("rolled back");
    assertThat(store.database().openConnections()).isZero();
    assertThat(store.size()).isZero();
  }

  @Test
  void aTransactionHasAResult() {
    assertThat(tx.callInTransaction(() -> 42)).isEqualTo(42);
  }

  @Test
  void aTransactionCanBeReadOnly() throws SQLException {
    tx.beginReadOnly();
    assertThat(tx.currentConnection().isReadOnly()).isTrue();
    tx.rollback();
    assertThat(store.database().openConnections()).isZero();
  }

  @Test
  void transactionsAreNotNested() {
    tx.begin();
    assertThatThrownBy(tx::begin).isInstanceOf(IllegalStateException.class);
    tx.rollback();
  }
}
