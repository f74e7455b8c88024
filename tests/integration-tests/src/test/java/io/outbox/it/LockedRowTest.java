package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Another session has a row locked for a moment, as a poller has that looked at the row when it was
 * still free.
 */
class LockedRowTest {

  private static final Duration LEASE = Duration.ofMinutes(5);

  /**
   * A poll claims an event again as soon as its retry is due; but the process still holds it, for
   * the commit of the retry has not answered yet. So the poll gives the lease back.
   */
  @EachDatabase
  void R11_aLeaseGivenBackWhileItsRowIsLockedDoesNotWaitForItsEnd(TestDatabase kind)
      throws Exception {
    Ledger ledger = new Ledger();
    CountDownLatch givenBack = new CountDownLatch(1);
    try (Scenario scenario = Scenario.on(kind);
        Connection other = scenario.pool.getConnection();
        Node node = new Node(scenario, "node")) {
      other.setAutoCommit(false);
      node.store.on(
          "releaseLeases",
          call -> {
            if (givenBack.getCount() > 0) {
              lock(other, ledger.deliveries().get(0).eventId());
            }
            Object result = call.proceed();
            givenBack.countDown();
            return result;
          });
      Scenario.withCommits(node.store);
      node.deliveringOn(real -> answeringToTheRecorderAfter(givenBack, real));
      node.start(
          Outbox.multiNode().claimLocking(LEASE).intervalMs(20).retryPolicy(attempts -> 0),
          ledger.listening(
              "node",
              event -> {
                if (ledger.count() == 1) {
                  throw new IllegalStateException("the first time");
                }
                return DispatchResult.done();
              }));
      String id = scenario.write(scenario.coldWriter(), Scenario.event());
      await().until(() -> node.metrics.failures() == 1);
      assertThat(scenario.number("lease_no", id)).as("claimed again").isEqualTo(2);
      assertThat(ledger.count()).as("its row is locked").isEqualTo(1);
      other.rollback();

      await().until(() -> scenario.status(id) == EventStatus.DONE);
      assertThat(ledger.count()).isEqualTo(2);
    }
  }

  /** A database ends one of two transactions that wait for each other; it may be that of a poll. */
  @Test
  void R11_aPollThatLostADeadlockIsMadeAgainSoon() {
    try (Scenario scenario = Scenario.on(TestDatabase.POSTGRES);
        Node node = new Node(scenario, "node")) {
      SQLException deadlock = new SQLException("deadlock detected", "40P01");
      node.store.failing("fetchPending", 3, new OutboxStoreException("could not claim", deadlock));
      String id = scenario.write(scenario.coldWriter(), Scenario.event());
      node.start(
          Outbox.multiNode().claimLocking(LEASE).intervalMs(LEASE.toMillis()),
          event -> DispatchResult.done());
      await().until(() -> scenario.status(id) == EventStatus.DONE);
    }
  }

  private static Connection answeringToTheRecorderAfter(CountDownLatch latch, Connection real) {
    return new Tap<>(Connection.class, real)
        .on(
            "commit",
            call -> {
              call.proceed();
              if (Thread.currentThread().getName().startsWith("outbox-recorder-")) {
                latch.await();
              }
              return null;
            })
        .proxy();
  }

  private static void lock(Connection connection, String eventId) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT event_id FROM outbox_event WHERE event_id = ? FOR UPDATE")) {
      statement.setString(1, eventId);
      assertThat(statement.executeQuery().next()).isTrue();
    }
  }
}
