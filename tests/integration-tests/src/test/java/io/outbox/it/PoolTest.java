package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariPoolMXBean;
import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.testdb.TestDatabase;
import org.junit.jupiter.api.Timeout;

/** Every connection goes back to a real pool, whatever it was taken for. */
@Timeout(300)
class PoolTest {

  private static final int EVENTS = 20;

  @EachDatabase
  void noModeKeepsAConnection(TestDatabase kind) {
    for (BuiltMode mode : BuiltMode.values()) {
      try (Scenario scenario = BuiltMode.on(kind)) {
        HikariPoolMXBean pool = scenario.pool.getHikariPoolMXBean();
        Outbox outbox = scenario.start(mode.builder(scenario, 50));

        scenario.write(outbox.writer(), Scenario.events(EVENTS));
        scenario.awaitAllDone(EVENTS);
        awaitNoneActive(pool, mode + " after deliveries");

        try (JdbcTransactionManager.Transaction transaction = scenario.transactions.begin()) {
          outbox.writer().writeAll(Scenario.events(EVENTS));
          transaction.rollback();
        }
        awaitNoneActive(pool, mode + " after a rollback");

        scenario.write(scenario.coldWriter(), Scenario.events(EVENTS));
        scenario.awaitAllDone(2 * EVENTS);
        awaitNoneActive(pool, mode + " after polling");
        assertThat(scenario.deliveries.count()).as("deliveries in %s", mode).isEqualTo(2 * EVENTS);

        outbox.close();
        assertThat(pool.getActiveConnections()).as("%s after close()", mode).isZero();
      }
    }
  }

  /** A poll takes one now and then. */
  private static void awaitNoneActive(HikariPoolMXBean pool, String when) {
    await(when).until(pool::getActiveConnections, active -> active == 0);
    assertThat(pool.getThreadsAwaitingConnection()).as(when).isZero();
  }
}
