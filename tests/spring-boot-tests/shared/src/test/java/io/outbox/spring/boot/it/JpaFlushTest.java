package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.OutboxWriter;
import io.outbox.model.EventStatus;
import io.outbox.spring.boot.it.ledger.Account;
import io.outbox.spring.boot.it.ledger.Callbacks;
import io.outbox.spring.boot.it.ledger.Statements;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** JPA flushes before an event is written, where it can. */
class JpaFlushTest {

  private static Database database;
  private static ConfigurableApplicationContext app;

  private final JdbcTemplate jdbc = app.getBean(JdbcTemplate.class);
  private final OutboxWriter outbox = app.getBean(OutboxWriter.class);
  private final Statements statements = app.getBean(Statements.class);
  private final EntityManagerFactory factory = app.getBean(EntityManagerFactory.class);
  private final EntityManager entities =
      SharedEntityManagerCreator.createSharedEntityManager(factory);

  @BeforeAll
  static void start() {
    database = TestDatabase.POSTGRES.fresh();
    app = JpaOrderTest.start(database);
  }

  @AfterAll
  static void stop() {
    Callbacks.writing = false;
    app.close();
    database.close();
  }

  @BeforeEach
  void clean() {
    Callbacks.writing = false;
    jdbc.update("DELETE FROM outbox_event");
    jdbc.update("DELETE FROM posting");
    jdbc.update("DELETE FROM account");
    statements.seen.clear();
    inTransaction(em -> em.persist(new Account("A")));
  }

  private void inTransaction(Consumer<EntityManager> work) {
    app.getBean(TransactionTemplate.class).executeWithoutResult(tx -> work.accept(entities));
  }

  private void write() {
    outbox.write("Seen", "\"written\"");
  }

  /** As the current transaction sees it. */
  private int balanceInTheDatabase() {
    return jdbc.queryForObject("SELECT balance FROM account WHERE id = 'A'", Integer.class);
  }

  @Test
  void changesAreInTheDatabaseWhenTheEventIsWritten() {
    inTransaction(
        em -> {
          em.find(Account.class, "A").setBalance(7);
          assertThat(balanceInTheDatabase()).isZero();
          write();
          assertThat(balanceInTheDatabase()).isEqualTo(7);
        });
  }

  @Test
  void theMethodOfALazilyLoadedEntityIsNoCallback() {
    inTransaction(
        em -> {
          em.getReference(Account.class, "A").setBalance(7, this::write);
          assertThat(balanceInTheDatabase()).isEqualTo(7);
        });
  }

  /** What makes JPA flush, so that it calls back. */
  private enum Cause {
    WRITE,
    COMMIT,
    QUERY,
    FLUSH
  }

  private void cause(Cause cause, EntityManager em) {
    switch (cause) {
      case WRITE -> write();
      case COMMIT -> {}
      case QUERY -> em.createQuery("SELECT count(a) FROM Account a").getSingleResult();
      case FLUSH -> em.flush();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWriteInsideAFlushNeitherFailsNorFlushesAgain(Cause cause) {
    Callbacks.writing = true;
    inTransaction(
        em -> {
          Account account = new Account("B");
          account.post(1);
          em.persist(account);
          cause(cause, em);
        });
    inTransaction(
        em -> {
          em.find(Account.class, "B").post(2);
          cause(cause, em);
        });
    inTransaction(
        em -> {
          em.remove(em.find(Account.class, "B"));
          cause(cause, em);
        });

    int written = cause == Cause.WRITE ? 3 : 0;
    Outboxes.awaitCounts(app, Map.of(EventStatus.DONE, 14 + written));
    assertThat(statements.seen)
        .filteredOn(seen -> !seen.equals("written"))
        .containsExactlyInAnyOrder(
            "PrePersistAccount",
            "PostPersistAccount",
            "PrePersistPosting",
            "PostPersistPosting",
            "PreUpdateAccount",
            "PostUpdateAccount",
            "PrePersistPosting",
            "PostPersistPosting",
            "PreRemoveAccount",
            "PostRemoveAccount",
            "PreRemovePosting",
            "PostRemovePosting",
            "PreRemovePosting",
            "PostRemovePosting");
  }

  @Test
  void aChangeThatTheDatabaseRefusesIsReportedAsAtTheCommit() {
    assertThatThrownBy(
            () ->
                inTransaction(
                    em -> {
                      em.persist(new Account("A"));
                      write();
                    }))
        .isInstanceOf(DataIntegrityViolationException.class);
    assertThat(Outboxes.counts(app)).isEmpty();
  }

  @Test
  void R2_aTransactionThatCanOnlyBeRolledBackIsNotFlushed() {
    assertThatThrownBy(
            () ->
                inTransaction(
                    em -> {
                      em.find(Account.class, "A").setBalance(7);
                      assertThatIllegalStateException()
                          .isThrownBy(
                              () ->
                                  inTransaction(
                                      inner -> {
                                        throw new IllegalStateException("a part has failed");
                                      }));
                      write();
                      assertThat(balanceInTheDatabase()).isZero();
                    }))
        .isInstanceOf(UnexpectedRollbackException.class);
    assertThat(Outboxes.counts(app)).isEmpty();
  }

  @Test
  void R16_aReadOnlyTransactionIsRefusedAsEver() {
    TransactionTemplate reading =
        new TransactionTemplate(app.getBean(PlatformTransactionManager.class));
    reading.setReadOnly(true);
    reading.executeWithoutResult(
        tx -> {
          entities.find(Account.class, "A").setBalance(7);
          assertThatIllegalStateException()
              .isThrownBy(this::write)
              .withMessageContaining("read-only");
        });
    assertThat(balanceInTheDatabase()).isZero();
  }

  /** As when a request keeps an EntityManager open, and some other code uses JDBC alone. */
  @Test
  void anEntityManagerThatIsInNoTransactionIsLeftAlone() {
    DataSource dataSource = app.getBean(DataSource.class);
    try (EntityManager ofTheRequest = factory.createEntityManager()) {
      TransactionSynchronizationManager.bindResource(
          factory, new EntityManagerHolder(ofTheRequest));
      try {
        new TransactionTemplate(new DataSourceTransactionManager(dataSource))
            .executeWithoutResult(
                tx -> {
                  ofTheRequest.find(Account.class, "A").setBalance(7);
                  write();
                });
      } finally {
        TransactionSynchronizationManager.unbindResource(factory);
      }
    }
    Outboxes.awaitCounts(app, Map.of(EventStatus.DONE, 1));
    assertThat(balanceInTheDatabase()).isZero();
  }
}
