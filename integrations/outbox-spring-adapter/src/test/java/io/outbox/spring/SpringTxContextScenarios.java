package io.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is delivered, and what is refused, in all sorts of Spring transactions. */
abstract class SpringTxContextScenarios {

  private static final Duration SOON = Duration.ofSeconds(60);

  @AutoClose private static final Databases DATABASES = new Databases();
  @AutoClose private static final Databases OTHER_DATABASES = new Databases();

  private final TestDatabase kind;
  private final boolean listening;
  private DataSource dataSource;
  private DataSource otherDataSource;
  private DataSourceTransactionManager manager;
  private DataSourceTransactionManager otherManager;
  private SpringTxContext txContext;
  private JdbcTemplate jdbc;
  private Outbox outbox;
  private OutboxWriter writer;
  private final RecordingListener listener = new RecordingListener();

  /** {@code listening}: whether the transaction managers tell the context of their transactions. */
  SpringTxContextScenarios(TestDatabase kind, boolean listening) {
    this.kind = kind;
    this.listening = listening;
  }

  @BeforeEach
  void open() throws SQLException {
    dataSource = DATABASES.pool(kind);
    otherDataSource = OTHER_DATABASES.pool(TestDatabase.H2);
    jdbc = new JdbcTemplate(dataSource);
    txContext = new SpringTxContext(dataSource, true); // works with JPA and without
    manager = manager(dataSource);
    otherManager = manager(otherDataSource);
    outbox =
        Outbox.singleNode()
            .connectionProvider(new DataSourceConnectionProvider(dataSource))
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
            .intervalMs(600_000) // only the hot path delivers
            .build();
    writer = outbox.writer();
  }

  @AfterEach
  void close() {
    outbox.close();
    assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
  }

  private DataSourceTransactionManager manager(DataSource of) {
    DataSourceTransactionManager made = new DataSourceTransactionManager(of);
    if (listening) {
      made.addListener(txContext);
    }
    return made;
  }

  private static TransactionTemplate tx(AbstractPlatformTransactionManager of) {
    return new TransactionTemplate(of);
  }

  private static TransactionTemplate tx(AbstractPlatformTransactionManager of, int propagation) {
    TransactionTemplate template = new TransactionTemplate(of);
    template.setPropagationBehavior(propagation);
    return template;
  }

  private TransactionTemplate requiresNew() {
    return tx(manager, TransactionDefinition.PROPAGATION_REQUIRES_NEW);
  }

  private TransactionTemplate nested() {
    return tx(manager, TransactionDefinition.PROPAGATION_NESTED);
  }

  private void write(String type) {
    writer.write(type, "{}");
  }

  /** Exactly these were delivered and are in the table. */
  private void assertDelivered(String... types) {
    listener.awaitCount(types.length, SOON);
    outbox.close(); // delivers what is queued
    assertThat(listener.deliveries())
        .extracting(delivery -> delivery.event().eventType())
        .containsExactlyInAnyOrder(types);
    assertThat(jdbc.queryForList("SELECT event_type FROM outbox_event", String.class))
        .containsExactlyInAnyOrder(types);
  }

  private void assertRefused(String... words) {
    assertThat(txContext.isTransactionActive()).isFalse();
    assertThatIllegalStateException()
        .isThrownBy(() -> write("refused"))
        .withMessageContainingAll(words);
    assertThatIllegalStateException()
        .isThrownBy(() -> txContext.currentConnection())
        .withMessageContainingAll(words);
    assertThatIllegalStateException().isThrownBy(() -> txContext.afterCommit(() -> {}));
    assertThatIllegalStateException().isThrownBy(() -> txContext.afterRollback(() -> {}));
  }

  /** Registers a callback as application code does, without the outbox. */
  private static void afterCommit(Runnable work) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            work.run();
          }
        });
  }

  private static void afterCompletion(Runnable work) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            work.run();
          }
        });
  }

  /** What fails in a callback would only be logged. */
  private static void reportingTo(List<Throwable> failures, Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      failures.add(e);
    }
  }

  @Test
  void R2_aCommitDeliversAndARollbackDoesNot() {
    tx(manager).executeWithoutResult(status -> write("committed"));
    tx(manager)
        .executeWithoutResult(
            status -> {
              write("rolled back");
              status.setRollbackOnly();
            });

    assertDelivered("committed");
  }

  @Test
  void theEventIsInTheTransactionOfJdbcTemplate() {
    tx(manager)
        .executeWithoutResult(
            status -> {
              write("uncommitted");
              assertThat(jdbc.queryForObject("SELECT count(*) FROM outbox_event", Integer.class))
                  .isOne();
              assertThat(
                      new JdbcTemplate(DATABASES.unpooled(kind))
                          .queryForObject("SELECT count(*) FROM outbox_event", Integer.class))
                  .isZero();
              status.setRollbackOnly();
            });

    assertDelivered();
  }

  @Test
  void theEventIsInTheTransactionOfALibraryThatAsksAProxyForConnections() throws SQLException {
    DataSource ofTheLibrary = new TransactionAwareDataSourceProxy(dataSource);
    tx(manager)
        .executeWithoutResult(
            status ->
                assertThatCodeRuns(
                    () -> {
                      write("committed");
                      try (Connection connection = ofTheLibrary.getConnection();
                          Statement statement = connection.createStatement()) {
                        assertThat(statement.executeUpdate("UPDATE outbox_event SET attempts = 0"))
                            .isOne();
                      }
                    }));

    assertDelivered("committed");
  }

  @Test
  void R2_aParticipantThatFailsRollsBackTheWholeTransaction() {
    assertThatThrownBy(
            () ->
                tx(manager)
                    .executeWithoutResult(
                        outer -> {
                          write("outer");
                          tx(manager)
                              .executeWithoutResult(
                                  inner -> {
                                    write("inner");
                                    inner.setRollbackOnly();
                                  });
                          write("after the failure");
                        }))
        .isInstanceOf(UnexpectedRollbackException.class);

    assertDelivered();
  }

  @Test
  void R2_aNewTransactionInsideIsCommittedAndRolledBackAlone() {
    tx(manager)
        .executeWithoutResult(
            outer -> {
              write("outer is rolled back");
              requiresNew().executeWithoutResult(inner -> write("inner is committed"));
              requiresNew()
                  .executeWithoutResult(
                      inner -> {
                        write("inner is rolled back");
                        inner.setRollbackOnly();
                      });
              write("outer after the inner ones");
              outer.setRollbackOnly();
            });
    tx(manager)
        .executeWithoutResult(
            outer -> {
              requiresNew()
                  .executeWithoutResult(
                      inner -> {
                        write("inner is rolled back first");
                        inner.setRollbackOnly();
                      });
              write("outer is committed");
            });

    assertDelivered("inner is committed", "outer is committed");
  }

  @Test
  void aNewTransactionInsideIsDeliveredBeforeTheOuterOneEnds() {
    tx(manager)
        .executeWithoutResult(
            outer -> {
              write("outer");
              requiresNew().executeWithoutResult(inner -> write("inner"));
              listener.awaitCount(1, SOON);
            });

    assertDelivered("inner", "outer");
  }

  @Test
  void R2_aNestedTransactionThatIsRolledBackDeliversNothing() {
    tx(manager)
        .executeWithoutResult(
            outer -> {
              write("before");
              nested()
                  .executeWithoutResult(
                      inner -> {
                        write("undone");
                        inner.setRollbackOnly();
                      });
              nested().executeWithoutResult(inner -> write("kept"));
              write("after");
            });

    assertDelivered("before", "kept", "after");
  }

  @Test
  void R2_aNestedTransactionThatComesFirstIsRolledBackAloneToo() {
    tx(manager)
        .executeWithoutResult(
            outer -> {
              nested()
                  .executeWithoutResult(
                      inner -> {
                        write("undone");
                        inner.setRollbackOnly();
                      });
              write("after");
            });

    assertDelivered("after");
  }

  @Test
  void R2_aRollbackToASavepointTakesInnerOnesAlong() {
    tx(manager)
        .executeWithoutResult(
            status -> {
              Object beforeAll = status.createSavepoint();
              write("undone at first");
              status.rollbackToSavepoint(beforeAll);
              write("kept");
              Object outer = status.createSavepoint();
              nested().executeWithoutResult(inner -> write("released, then undone"));
              Object inner = status.createSavepoint();
              write("undone once");
              status.rollbackToSavepoint(inner);
              write("undone with the outer");
              status.rollbackToSavepoint(outer);
              write("kept too");
            });

    assertDelivered("kept", "kept too");
  }

  @Test
  void R2_aNestedTransactionDeliversNothingIfTheOuterOneIsRolledBack() {
    tx(manager)
        .executeWithoutResult(
            outer -> {
              nested().executeWithoutResult(inner -> write("released"));
              outer.setRollbackOnly();
            });

    assertDelivered();
  }

  @Test
  void R1_anUnknownEndCountsAsARollbackForTheCallbacks() {
    List<String> calls = new ArrayList<>();
    DataSourceTransactionManager failing =
        new DataSourceTransactionManager(dataSource) {
          @Override
          protected void doCommit(DefaultTransactionStatus status) {
            throw new TransactionSystemException("nobody knows whether it was committed");
          }
        };

    assertThatThrownBy(
            () ->
                tx(failing)
                    .executeWithoutResult(
                        status -> {
                          txContext.afterCommit(() -> calls.add("committed"));
                          txContext.afterRollback(() -> calls.add("rolled back"));
                        }))
        .isInstanceOf(TransactionSystemException.class);

    assertThat(calls).containsExactly("rolled back");
    assertThat(txContext.isTransactionActive()).isFalse();
  }

  @Test
  void R16_aWriteWithoutATransactionIsRefused() {
    assertRefused("no Spring transaction", "@Transactional");

    tx(manager, TransactionDefinition.PROPAGATION_SUPPORTS)
        .executeWithoutResult(status -> assertRefused("no Spring transaction"));
    tx(manager)
        .executeWithoutResult(
            outer ->
                tx(manager, TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                    .executeWithoutResult(inner -> assertRefused("no Spring transaction")));
    assertDelivered();
  }

  @Test
  void R16_aWriteInATransactionOfAnotherDataSourceIsRefused() {
    tx(otherManager)
        .executeWithoutResult(
            status -> assertRefused("not one of the DataSource of this outbox", "JTA"));

    assertDelivered();
  }

  @Test
  void R16_aConnectionThatWasMerelyUsedInAnotherTransactionIsNotInIt() {
    tx(otherManager)
        .executeWithoutResult(
            status -> {
              jdbc.queryForObject("SELECT count(*) FROM outbox_event", Integer.class);
              assertRefused("not one of the DataSource of this outbox");
            });

    assertDelivered();
  }

  @Test
  void R16_aConnectionWithAutoCommitOffThatWasMerelyUsedIsNotInATransactionEither() {
    DataSource autoCommitOff = new AutoCommitOff(dataSource);
    SpringTxContext context = new SpringTxContext(autoCommitOff);

    tx(otherManager)
        .executeWithoutResult(
            status -> {
              new JdbcTemplate(autoCommitOff)
                  .queryForObject("SELECT count(*) FROM outbox_event", Integer.class);
              assertThatIllegalStateException()
                  .isThrownBy(context::currentConnection)
                  .withMessageContaining("not one of the DataSource of this outbox");
            });
    tx(new DataSourceTransactionManager(autoCommitOff))
        .executeWithoutResult(status -> assertThat(context.isTransactionActive()).isTrue());
  }

  @Test
  void R16_aReadOnlyTransactionIsRefused() {
    TransactionTemplate readOnly = tx(manager);
    readOnly.setReadOnly(true);

    readOnly.executeWithoutResult(status -> assertRefused("read-only"));
    tx(manager)
        .executeWithoutResult(
            outer -> {
              write("a reader takes part in a writer's transaction");
              readOnly.executeWithoutResult(inner -> write("so it can write"));
            });

    assertDelivered("a reader takes part in a writer's transaction", "so it can write");
  }

  @Test
  void R16_aTransactionWithoutSynchronizationIsRefused() {
    DataSourceTransactionManager silent = new DataSourceTransactionManager(dataSource);
    silent.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);

    tx(silent)
        .executeWithoutResult(
            status -> assertRefused("synchronization is switched off", "SYNCHRONIZATION_ALWAYS"));
    assertDelivered();
  }

  @Test
  void R16_aWriteAfterTheCommitIsRefusedEvenIfItIsTheFirst() {
    List<Throwable> failures = new ArrayList<>();
    tx(manager)
        .executeWithoutResult(
            status ->
                afterCommit(
                    () -> reportingTo(failures, () -> assertRefused("PROPAGATION_REQUIRES_NEW"))));
    tx(manager)
        .executeWithoutResult(
            status -> {
              afterCommit(
                  () -> reportingTo(failures, () -> assertRefused("PROPAGATION_REQUIRES_NEW")));
              write("before the commit");
            });

    assertThat(failures).isEmpty();
    assertDelivered("before the commit");
  }

  @Test
  void R16_aWriteInATransactionThatJoinsTheCommittedOneIsRefused() {
    List<Throwable> failures = new ArrayList<>();
    tx(manager)
        .executeWithoutResult(
            status ->
                afterCommit(
                    () ->
                        reportingTo(
                            failures,
                            () ->
                                tx(manager)
                                    .executeWithoutResult(
                                        joined -> assertRefused("PROPAGATION_REQUIRES_NEW")))));

    assertThat(failures).isEmpty();
    assertDelivered();
  }

  @Test
  void R16_aWriteAfterTheCompletionIsRefused() {
    List<Throwable> failures = new ArrayList<>();
    tx(manager)
        .executeWithoutResult(
            status ->
                afterCompletion(
                    () -> reportingTo(failures, () -> assertRefused("PROPAGATION_REQUIRES_NEW"))));
    tx(manager)
        .executeWithoutResult(
            status -> {
              write("rolled back");
              afterCompletion(
                  () -> reportingTo(failures, () -> assertRefused("PROPAGATION_REQUIRES_NEW")));
              status.setRollbackOnly();
            });

    assertThat(failures).isEmpty();
    assertDelivered();
  }

  @Test
  void aNewTransactionAfterTheCommitIsATransactionLikeAnyOther() {
    tx(manager)
        .executeWithoutResult(
            status -> {
              afterCommit(
                  () -> {
                    requiresNew().executeWithoutResult(inner -> write("in afterCommit"));
                    requiresNew()
                        .executeWithoutResult(
                            inner -> {
                              write("undone in afterCommit");
                              inner.setRollbackOnly();
                            });
                  });
              afterCompletion(
                  () -> requiresNew().executeWithoutResult(inner -> write("in afterCompletion")));
              write("before");
            });

    assertDelivered("before", "in afterCommit", "in afterCompletion");
  }

  @Test
  void aNewTransactionAfterTheCommitMayHaveCallbacksOfItsOwn() {
    tx(manager)
        .executeWithoutResult(
            status -> {
              write("before");
              afterCommit(
                  () ->
                      requiresNew()
                          .executeWithoutResult(
                              inner -> {
                                afterCommit(() -> {});
                                write("in afterCommit");
                              }));
            });

    assertDelivered("before", "in afterCommit");
  }

  @Test
  void R1_aCallbackOfTheApplicationThatFailsDoesNotKeepTheEventFromItsDelivery() {
    assertThatThrownBy(
            () ->
                tx(manager)
                    .executeWithoutResult(
                        status -> {
                          afterCommit(
                              () -> {
                                throw new IllegalTransactionStateException("a callback failed");
                              });
                          write("delivered");
                        }))
        .hasMessage("a callback failed");

    assertDelivered("delivered");
  }

  @Test
  void R2_aWriteInsideATransactionOfAnotherManagerThatIsInsideOursIsRefused() {
    tx(manager)
        .executeWithoutResult(
            outer -> {
              write("undone");
              tx(otherManager)
                  .executeWithoutResult(
                      inner -> assertRefused("innermost transaction", "PROPAGATION_REQUIRES_NEW"));
              write("undone too");
              outer.setRollbackOnly();
            });
    tx(manager)
        .executeWithoutResult(
            outer -> {
              tx(otherManager).executeWithoutResult(inner -> assertRefused("innermost"));
              write("after the inner one");
            });

    assertDelivered("after the inner one");
  }

  @Test
  void ourTransactionInsideThatOfAnotherManagerIsJoinedWhenItIsKnownToBeTheInnerOne() {
    Callable<Void> nestedManagers =
        () ->
            tx(otherManager)
                .execute(
                    outer -> {
                      tx(manager).executeWithoutResult(inner -> write("inner"));
                      return null;
                    });

    if (listening) {
      assertThat(nestedManagers).satisfies(Callable::call);
      assertDelivered("inner");
    } else {
      assertThatIllegalStateException()
          .isThrownBy(nestedManagers::call)
          .withMessageContaining("transactionManager.addListener(txContext)");
      assertDelivered();
    }
  }

  @Test
  void aProxyOfTheDataSourceStandsForIt() {
    DataSource lazy = new LazyConnectionDataSourceProxy(dataSource);
    DataSource aware = new TransactionAwareDataSourceProxy(dataSource);

    assertJoins(dataSource, lazy);
    assertJoins(lazy, dataSource);
    assertJoins(lazy, lazy);
    assertJoins(aware, dataSource);
    assertJoins(dataSource, aware);
    assertJoins(new TransactionAwareDataSourceProxy(lazy), dataSource);
    assertJoins(aware, lazy);
  }

  private void assertJoins(DataSource ofContext, DataSource ofManager) {
    SpringTxContext context = new SpringTxContext(ofContext);
    tx(new DataSourceTransactionManager(ofManager))
        .executeWithoutResult(
            status -> {
              assertThat(context.isTransactionActive()).isTrue();
              assertThatCodeRuns(() -> context.currentConnection().createStatement().close());
            });
    assertThat(context.isTransactionActive()).isFalse();
  }

  private static void assertThatCodeRuns(Callable<?> code) {
    assertThat(code).satisfies(Callable::call);
  }

  private static void assertThatCodeRuns(SqlWork code) {
    assertThatCodeRuns(
        () -> {
          code.run();
          return null;
        });
  }

  private interface SqlWork {
    void run() throws SQLException;
  }

  /** A pool whose connections come with auto-commit off. */
  private static final class AutoCommitOff extends DelegatingDataSource {
    private AutoCommitOff(DataSource target) {
      super(target);
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection connection = super.getConnection();
      connection.setAutoCommit(false);
      return connection;
    }
  }

  @Test
  void afterTheCommitTheDatabaseIsLeftAlone() {
    outbox.close(); // one mode delivers from a table at a time
    List<String> calls = new CopyOnWriteArrayList<>();
    DataSource watched = Watched.dataSource(dataSource, calls);
    SpringTxContext context = new SpringTxContext(watched);
    DataSourceTransactionManager watchedManager = new DataSourceTransactionManager(watched);
    if (listening) {
      watchedManager.addListener(context);
    }
    try (Outbox watchedOutbox =
        Outbox.multiNode()
            .claimLocking(Duration.ofMinutes(5))
            .connectionProvider(new DataSourceConnectionProvider(watched))
            .txContext(context)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
            .build()) {
      tx(watchedManager)
          .executeWithoutResult(
              status -> {
                watchedOutbox.writer().write("one", "{}");
                watchedOutbox.writer().write("two", "{}");
              });
      List<String> seen = List.copyOf(calls);

      assertThat(seen).contains("getConnection", "prepareStatement", "commit");
      assertThat(seen.subList(seen.indexOf("commit") + 1, seen.size()))
          .doesNotContain("getConnection", "prepareStatement", "createStatement", "commit");
      listener.awaitCount(2, SOON);
    }
  }
}
