package io.outbox.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.core.propagation.PropagatedContext;
import io.micronaut.core.type.Argument;
import io.micronaut.transaction.SynchronousTransactionManager;
import io.micronaut.transaction.TransactionDefinition;
import io.micronaut.transaction.TransactionDefinition.Propagation;
import io.micronaut.transaction.TransactionOperations;
import io.micronaut.transaction.TransactionStatus;
import io.micronaut.transaction.exceptions.UnexpectedRollbackException;
import io.micronaut.transaction.support.DefaultTransactionDefinition;
import io.micronaut.transaction.support.TransactionSynchronization;
import io.outbox.spi.TxContext;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.contract.TxContextContract;
import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract in transactions of Micronaut Data, and what Micronaut adds to it. */
abstract class MicronautTxContextContract extends TxContextContract {

  private static final Map<TestDatabase, TestApp> APPS = new EnumMap<>(TestDatabase.class);

  private final TestDatabase kind;
  private final List<String> calls = new ArrayList<>();
  private final Deque<TransactionStatus<Connection>> open = new ArrayDeque<>();
  private SynchronousTransactionManager<Connection> manager;
  private TransactionOperations<Connection> operations;
  private MicronautTxContext txContext;

  MicronautTxContextContract(TestDatabase kind) {
    this.kind = kind;
  }

  @BeforeEach
  @SuppressWarnings("unchecked")
  void openContext() {
    TestApp app =
        APPS.computeIfAbsent(
            kind, key -> TestApp.start(key, "none", Map.of("outbox.enabled", "false")));
    manager =
        app.context().getBean(Argument.of(SynchronousTransactionManager.class, Connection.class));
    operations = app.context().getBean(Argument.of(TransactionOperations.class, Connection.class));
    txContext = new MicronautTxContext(operations);
  }

  @AfterEach
  void leaveNoTransaction() {
    while (!open.isEmpty()) {
      manager.rollback(open.pop());
    }
    assertThat(txContext.isTransactionActive()).isFalse();
  }

  @Override
  protected TxContext txContext() {
    return txContext;
  }

  /** Inside of one that is NESTED itself, Micronaut makes savepoints. */
  private static TransactionDefinition definition(Propagation propagation) {
    DefaultTransactionDefinition definition = new DefaultTransactionDefinition(propagation);
    definition.setName("contract");
    return definition;
  }

  @Override
  protected void begin() {
    open.push(manager.getTransaction(definition(Propagation.NESTED)));
  }

  @Override
  protected void commit() {
    manager.commit(open.pop());
  }

  @Override
  protected void rollback() {
    while (!open.isEmpty()) {
      manager.rollback(open.pop());
    }
  }

  @Override
  protected Object createSavepoint() {
    open.push(manager.getTransaction(definition(Propagation.NESTED)));
    return open.peek();
  }

  /** Micronaut has savepoints of nested transactions only: those inside have ended before. */
  @Override
  protected void rollbackTo(Object savepoint) {
    while (open.peek() != savepoint) {
      manager.commit(open.pop());
    }
    manager.rollback(open.pop());
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
    assertThatIllegalStateException().isThrownBy(() -> txContext.beforeCommit(() -> {}));
  }

  @Test
  void aSuspendedTransactionWaitsForItsOwnEnd() {
    operations.execute(
        definition(Propagation.REQUIRED),
        outer -> {
          register("outer");
          Connection connection = txContext.currentConnection();
          operations.execute(
              definition(Propagation.NOT_SUPPORTED),
              none -> {
                assertRefused("in no transaction", "REQUIRES_NEW");
                return null;
              });
          operations.execute(
              definition(Propagation.REQUIRES_NEW),
              inner -> {
                register("inner");
                assertThat(txContext.currentConnection()).isNotSameAs(connection);
                return null;
              });
          assertThat(calls).containsExactly("inner committed");
          assertThat(txContext.currentConnection()).isSameAs(connection);
          return null;
        });

    assertThat(calls).containsExactly("inner committed", "outer committed");
  }

  @Test
  void R2_anInnerTransactionThatIsRolledBackLeavesTheOuterOneAlone() {
    operations.execute(
        definition(Propagation.REQUIRED),
        outer -> {
          register("outer");
          operations.execute(
              definition(Propagation.REQUIRES_NEW),
              inner -> {
                register("inner");
                inner.setRollbackOnly();
                return null;
              });
          return null;
        });

    assertThat(calls).containsExactly("inner rolled back", "outer committed");
  }

  @Test
  void whatJoinsATransactionEndsWithIt() {
    operations.execute(
        definition(Propagation.REQUIRED),
        outer -> {
          register("first");
          operations.execute(
              definition(Propagation.REQUIRED),
              joined -> {
                register("joined");
                return null;
              });
          assertThat(calls).isEmpty();
          register("last");
          return null;
        });

    assertThat(calls).containsExactly("first committed", "joined committed", "last committed");
  }

  @Test
  void R2_aJoinedOneThatIsMarkedRollbackOnlyTakesAllAlong() {
    assertThatThrownBy(
            () ->
                operations.execute(
                    definition(Propagation.REQUIRED),
                    outer -> {
                      register("outer");
                      operations.execute(
                          definition(Propagation.REQUIRED),
                          joined -> {
                            register("joined");
                            joined.setRollbackOnly();
                            return null;
                          });
                      return null;
                    }))
        .isInstanceOf(UnexpectedRollbackException.class);

    assertThat(calls).containsExactly("outer rolled back", "joined rolled back");
  }

  @Test
  void R16_aReadOnlyTransactionIsRefused() {
    operations.executeRead(
        status -> {
          assertRefused("read-only");
          return null;
        });
  }

  @Test
  void R16_aMethodWithoutATransactionIsRefused() {
    operations.execute(
        definition(Propagation.SUPPORTS),
        none -> {
          assertRefused("in no transaction", "SUPPORTS");
          operations.execute(
              definition(Propagation.REQUIRED),
              joined -> {
                assertRefused("in no transaction", "REQUIRED");
                return null;
              });
          return null;
        });
  }

  @Test
  void R1_aWriterMayComeBeforeTheCommitOfOthersButNotAfterIt() {
    begin();
    register("event");
    open.peek()
        .registerSynchronization(
            new TransactionSynchronization() {
              @Override
              public void beforeCommit(boolean readOnly) {
                assertThat(txContext.beforeCommit(() -> {})).isFalse();
                register("late");
              }

              @Override
              public void afterCommit() {
                assertRefused("has ended");
              }
            });
    commit();

    assertThat(calls).containsExactly("event committed", "late committed");
  }

  @Test
  void aThreadThatATransactionIsPropagatedToTakesPartUntilItsEnd() throws Exception {
    List<PropagatedContext> propagated = new ArrayList<>();
    operations.execute(
        definition(Propagation.REQUIRED),
        status -> {
          propagated.add(PropagatedContext.get());
          onAnotherThread(propagated.get(0), () -> register("another thread"));
          return null;
        });
    assertThat(calls).containsExactly("another thread committed");

    onAnotherThread(propagated.get(0), () -> assertRefused("has ended"));
  }

  private static void onAnotherThread(PropagatedContext context, Runnable task) throws Exception {
    CompletableFuture.runAsync(context.wrap(task), work -> new Thread(work).start())
        .get(60, TimeUnit.SECONDS);
  }
}
