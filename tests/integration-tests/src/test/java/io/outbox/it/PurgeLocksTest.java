package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On MySQL and MariaDB a purge does not lock the gaps that new rows go into. */
@Timeout(300)
@Tag("each-database")
class PurgeLocksTest {

  private static final TestDatabase KIND = Databases.innoDb();

  /** As a pool gives it whose connections come with auto-commit off. */
  @Test
  void aPurgeInAnOpenTransactionLetsOthersInsert() throws SQLException {
    try (Scenario scenario = Scenario.on(KIND)) {
      scenario.write(scenario.coldWriter(), Scenario.events(5));
      scenario.update("UPDATE outbox_event SET status = 1, done_at = '2020-01-01 00:00:00'");
      scenario.write(scenario.coldWriter(), Scenario.events(5));
      try (Connection purging = scenario.pool.getConnection();
          Connection writing = scenario.pool.getConnection();
          Statement settings = writing.createStatement()) {
        purging.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        purging.setAutoCommit(false);
        int purged = new MySqlEventPurger().purge(purging, scenario.databaseTime(), 100);
        settings.execute("SET innodb_lock_wait_timeout = 3");
        for (int i = 0; i < 5; i++) {
          scenario.store.insertNew(writing, Scenario.event()); // waits for a lock, or not
        }
        purging.commit();

        assertThat(purged).isEqualTo(5);
        assertThat(isolationOf(purging)).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
        purging.rollback();
        purging.setAutoCommit(true);
        settings.execute("SET innodb_lock_wait_timeout = DEFAULT");
      }
    }
  }

  private static int isolationOf(Connection conn) throws SQLException {
    return conn.getTransactionIsolation();
  }
}
