package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.model.EventStatus;
import io.outbox.spring.boot.it.ledger.Account;
import io.outbox.spring.boot.it.ledger.LedgerApplication;
import io.outbox.spring.boot.it.ledger.Statements;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Two transactions change the same row and write an event of the same key. The last event must tell
 * what is in the row at last.
 */
class JpaOrderTest {

  /** Delivers in order by key. */
  static ConfigurableApplicationContext start(Database database, String... properties) {
    return new SpringApplicationBuilder(LedgerApplication.class)
        .web(WebApplicationType.NONE)
        .properties(
            "spring.datasource.url=" + database.jdbcUrl(),
            "spring.datasource.username=" + database.user(),
            "spring.datasource.password=" + database.password(),
            "spring.jpa.hibernate.ddl-auto=update",
            "outbox.mode=ordered-by-key",
            "outbox.schema.initialize=always")
        .properties(properties)
        .run();
  }

  @Test
  void eventsOfARowFollowItsChangesBecauseJpaFlushesBeforeTheWrite() throws Exception {
    try (Database database = TestDatabase.POSTGRES.fresh();
        Race race = new Race(database)) {
      assertThat(race.lastBalance()).isEqualTo(2);
      race.assertDelivered(0, 1, 2);
    }
  }

  @Test
  void withoutTheFlushTheLastEventMayTellAnOldState() throws Exception {
    try (Database database = TestDatabase.POSTGRES.fresh();
        Race race = new Race(database, "outbox.flush-before-write=false")) {
      assertThat(race.lastBalance()).as("the first to write is the last to commit").isEqualTo(1);
      race.assertDelivered(0, 1, 2);
    }
  }

  /** The second transaction overtakes the first, unless it has to wait for it. */
  private static final class Race implements AutoCloseable {

    private static final String WAITING =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            + " AND wait_event_type = 'Lock' AND query LIKE 'update account%'";

    private final ConfigurableApplicationContext app;
    private final JdbcTemplate outside;
    private final TransactionTemplate transactions;
    private final EntityManager accounts;
    private final OutboxWriter outbox;

    private Race(Database database, String... properties) throws Exception {
      app = start(database, properties);
      outside = new JdbcTemplate(database.dataSource());
      transactions = app.getBean(TransactionTemplate.class);
      accounts =
          SharedEntityManagerCreator.createSharedEntityManager(
              app.getBean(EntityManagerFactory.class));
      outbox = app.getBean(OutboxWriter.class);
      run();
    }

    private void run() throws Exception {
      app.getBean(Outbox.class).stop(); // all that matters is which event is first in the table
      transactions.executeWithoutResult(
          tx -> {
            accounts.persist(new Account("A"));
            writeBalance(0);
          });
      ExecutorService other = Executors.newSingleThreadExecutor();
      try {
        Future<?> second =
            transactions.execute(
                tx -> {
                  change(1);
                  Future<?> overtaking =
                      other.submit(() -> transactions.executeWithoutResult(its -> change(2)));
                  Await.until(
                      "the other one, committed or waiting",
                      Outboxes.SOON,
                      () -> overtaking.isDone() || isWaiting());
                  return overtaking;
                });
        second.get(60, TimeUnit.SECONDS);
      } finally {
        other.shutdownNow();
      }
    }

    private void change(int balance) {
      accounts.find(Account.class, "A").setBalance(balance);
      writeBalance(balance);
    }

    private void writeBalance(int balance) {
      outbox.write(
          EventEnvelope.builder("BalanceChanged")
              .aggregateType("Account")
              .aggregateId("A")
              .payloadJson(Integer.toString(balance))
              .build());
    }

    private boolean isWaiting() {
      return outside.queryForObject(WAITING, Integer.class) > 0;
    }

    private int lastBalance() {
      return outside.queryForObject("SELECT balance FROM account", Integer.class);
    }

    private void assertDelivered(Integer... balances) {
      Statements statements = app.getBean(Statements.class);
      app.getBean(Outbox.class).start();
      Outboxes.awaitCounts(app, Map.of(EventStatus.DONE, balances.length));
      assertThat(statements.balances).containsExactlyElementsOf(Stream.of(balances).toList());
    }

    @Override
    public void close() {
      app.close();
    }
  }
}
