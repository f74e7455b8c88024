package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.model.EventStatus;
import io.outbox.spring.boot.it.ledger.Statements;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * R2: InnoDB answers a deadlock by rolling back the whole transaction, and Spring does not notice.
 * An application that repeats only the failed statement commits without its event.
 */
class DeadlockTest {

  /** Enough for the other transaction not to be the victim. */
  private static final int ROWS = 300;

  private static final String FIRST = "UPDATE contested SET n = n + 1 WHERE id = 1";
  private static final String SECOND = "UPDATE contested SET n = n + 1 WHERE id = 2";
  private static final String ALL_BUT_THE_FIRST =
      "UPDATE contested FORCE INDEX (PRIMARY) SET n = n + 1 WHERE id > 1";

  private enum Manager {
    JPA(app -> app.getBean(JpaTransactionManager.class)),
    JDBC(app -> new DataSourceTransactionManager(app.getBean(DataSource.class)));

    private final Function<ConfigurableApplicationContext, PlatformTransactionManager> of;

    Manager(Function<ConfigurableApplicationContext, PlatformTransactionManager> of) {
      this.of = of;
    }
  }

  @ParameterizedTest
  @EnumSource
  void R2_anEventThatADeadlockRolledBackIsNotDelivered(Manager manager) throws Exception {
    try (Database database = TestDatabase.MARIADB.fresh();
        ConfigurableApplicationContext app =
            JpaOrderTest.start(database, "outbox.mode=single-node");
        Connection other = database.dataSource().getConnection()) {
      JdbcTemplate jdbc = app.getBean(JdbcTemplate.class);
      jdbc.execute("CREATE TABLE contested (id INT PRIMARY KEY, n INT NOT NULL)");
      for (int id = 1; id <= ROWS; id++) {
        jdbc.update("INSERT INTO contested VALUES (?, 0)", id);
      }
      OutboxWriter outbox = app.getBean(OutboxWriter.class);
      TransactionTemplate transactions = new TransactionTemplate(manager.of.apply(app));
      other.setAutoCommit(false);

      transactions.executeWithoutResult(
          tx -> {
            execute(other, ALL_BUT_THE_FIRST);
            jdbc.update(FIRST);
            outbox.write("Seen", "\"rolled back\"");
            CompletableFuture<Void> blocked =
                CompletableFuture.runAsync(() -> execute(other, FIRST));
            assertThatThrownBy(() -> jdbc.update(SECOND))
                .isInstanceOf(PessimisticLockingFailureException.class)
                .rootCause()
                .isInstanceOfSatisfying(
                    SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1213));
            blocked.orTimeout(60, TimeUnit.SECONDS).join();
            execute(other, "COMMIT");
            jdbc.update(SECOND);
          });
      transactions.executeWithoutResult(tx -> outbox.write("Seen", "\"committed\""));

      Outboxes.awaitCounts(app, Map.of(EventStatus.DONE, 1));
      app.getBean(Outbox.class).close(); // delivers what is queued
      assertThat(app.getBean(Statements.class).seen).containsExactly("committed");
      assertThat(jdbc.queryForObject("SELECT n FROM contested WHERE id = 2", Integer.class))
          .as("the change by the other one, and the one that was repeated")
          .isEqualTo(2);
    }
  }

  private static void execute(Connection conn, String sql) {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
