package io.outbox.jta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.spi.TxContext;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.testing.contract.TxContextContract;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract in transactions of Narayana, and what JTA adds to it. */
abstract class JtaTxContextContract extends TxContextContract {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final TransactionManager manager = Narayana.ofTests().manager();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final TestDatabase kind;
  private final Narayana.Part part;
  private Databases databases;
  private JtaTxContext txContext;

  JtaTxContextContract(TestDatabase kind, Narayana.Part part) {
    this.kind = kind;
    this.part = part;
  }

  @BeforeEach
  void open() throws SQLException {
    databases = Databases.of(kind, part);
    txContext = new JtaTxContext(Narayana.ofTests().registry(), databases.pool());
  }

  @AfterEach
  void leaveNoTransaction() throws Exception {
    manager.setTransactionTimeout(0);
    rollback();
    assertThat(databases.pool().getMetrics().activeCount()).isZero();
  }

  @Override
  protected TxContext txContext() {
    return txContext;
  }

  @Override
  protected void begin() throws Exception {
    manager.begin();
  }

  @Override
  protected void commit() throws Exception {
    manager.commit();
  }

  @Override
  protected void rollback() throws Exception {
    if (manager.getStatus() != Status.STATUS_NO_TRANSACTION) {
      manager.rollback();
    }
  }

  @Override
  protected boolean hasSavepoints() {
    return false;
  }

  @Override
  protected Object createSavepoint() {
    throw new UnsupportedOperationException();
  }

  @Override
  protected void rollbackTo(Object savepoint) {
    throw new UnsupportedOperationException();
  }

  private void register(String name) {
    txContext.afterCommit(() -> calls.add(name + " committed"));
    txContext.afterRollback(() -> calls.add(name + " rolled back"));
  }

  private void assertRefused(String... words) {
    assertThat(txContext.isTransactionActive()).isFalse();
    assertThatIllegalStateException()
        .isThrownBy(txContext::currentConnection)
        .withMessageContainingAll(words);
    assertThatIllegalStateException().isThrownBy(() -> txContext.afterCommit(() -> {}));
    assertThatIllegalStateException().isThrownBy(() -> txContext.afterRollback(() -> {}));
  }

  @Test
  void aSuspendedTransactionWaitsForItsOwnEnd() throws Exception {
    begin();
    register("outer");
    Connection connection = txContext.currentConnection();
    Transaction outer = manager.suspend();
    assertRefused("no JTA transaction", "Resume");
    assertThatThrownBy(connection::createStatement).isInstanceOf(SQLException.class);

    begin();
    register("inner");
    assertThat(txContext.currentConnection()).isNotSameAs(connection);
    assertThatThrownBy(connection::createStatement).hasMessageContaining("not the calling");
    commit();
    assertThat(calls).containsExactly("inner committed");

    manager.resume(outer);
    assertThat(txContext.isTransactionActive()).isTrue();
    assertThat(txContext.currentConnection()).isSameAs(connection);
    rollback();
    assertThat(calls).containsExactly("inner committed", "outer rolled back");
  }

  @Test
  void R2_anInnerTransactionThatIsRolledBackLeavesTheOuterOneAlone() throws Exception {
    begin();
    register("outer");
    Transaction outer = manager.suspend();
    begin();
    register("inner");
    rollback();
    manager.resume(outer);
    commit();

    assertThat(calls).containsExactly("inner rolled back", "outer committed");
  }

  @Test
  void aTransactionMayEndOnAnotherThread() throws Exception {
    begin();
    txContext.afterCommit(() -> calls.add(Thread.currentThread().getName()));
    Transaction transaction = manager.suspend();
    CompletableFuture.runAsync(
            () -> {
              try {
                manager.resume(transaction);
                register("resumed");
                commit();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            },
            task -> new Thread(task, "another").start())
        .get(60, TimeUnit.SECONDS);

    assertThat(calls).containsExactly("another", "resumed committed");
  }

  @Test
  void R2_aTransactionMarkedRollbackOnlyIsRolledBackAndTakesNothingMore() throws Exception {
    begin();
    register("marked");
    manager.setRollbackOnly();
    assertRefused("rollback-only");

    assertThatThrownBy(this::commit).isInstanceOf(RollbackException.class);
    assertThat(calls).containsExactly("marked rolled back");
  }

  @Test
  void R2_aTimeoutIsARollbackOnAnotherThread() throws Exception {
    manager.setTransactionTimeout(1);
    begin();
    Connection connection = txContext.currentConnection();
    txContext.afterCommit(() -> calls.add("committed"));
    txContext.afterRollback(() -> calls.add(Thread.currentThread().getName()));
    Await.until(() -> "the timeout, so far " + calls, SOON, () -> !calls.isEmpty());

    assertThat(calls).doesNotContain("committed", Thread.currentThread().getName()).hasSize(1);
    assertRefused("ended", "timeout");
    assertThat(connection.isClosed()).isTrue();
    assertThatThrownBy(connection::createStatement).hasMessageContaining("has ended");
    assertThatThrownBy(this::commit).isInstanceOf(Exception.class);
    assertThat(calls).hasSize(1);
  }

  /** Narayana calls it committed; others may say that they do not know. */
  @Test
  void R1_aHeuristicEndIsOneEnd() throws Exception {
    begin();
    register("heuristic");
    assertThat(txContext.currentConnection().isReadOnly()).isFalse();
    manager.getTransaction().enlistResource(Branch.thatEndsWith(XAException.XA_HEURMIX));

    assertThatThrownBy(this::commit).isInstanceOf(HeuristicMixedException.class);
    assertThat(calls).hasSize(1);
    assertThat(txContext.isTransactionActive()).isFalse();
  }

  @Test
  void aRollbackToASavepointIsOneOfTheWholeTransaction() throws Exception {
    begin();
    register("kept");
    Connection connection = txContext.currentConnection();
    connection.releaseSavepoint(connection.setSavepoint());
    commit();
    assertThat(calls).containsExactly("kept committed");

    begin();
    register("undone");
    connection = txContext.currentConnection();
    Savepoint savepoint = connection.setSavepoint();
    connection.rollback(savepoint);
    assertRefused("rollback-only");
    assertThatThrownBy(this::commit).isInstanceOf(RollbackException.class);
    assertThat(calls).containsExactly("kept committed", "undone rolled back");
  }

  @Test
  void R16_theConnectionOfAnEndedTransactionIsOfNoUse() throws Exception {
    begin();
    Connection ended = txContext.currentConnection();
    assertThat(ended.isClosed()).isFalse();
    commit();
    assertThat(ended.isClosed()).isTrue();
    assertThatThrownBy(ended::createStatement).hasMessageContaining("has ended");

    begin();
    assertThatThrownBy(() -> ended.prepareStatement("SELECT 1"))
        .hasMessageContaining("not the calling thread's");
    rollback();
  }
}
