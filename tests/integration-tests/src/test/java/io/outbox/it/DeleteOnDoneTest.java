package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;

/** What is delivered is deleted, and every rule holds as it does for events that are kept. */
@Timeout(300)
class DeleteOnDoneTest {

  private static final Duration LEASE = Duration.ofSeconds(30);

  @EachDatabase
  void R3_R9_eachEventIsDeliveredOnceAndTheTableIsEmptyAtTheEnd(TestDatabase kind)
      throws Exception {
    run(kind, 1);
    run(kind, 3);
  }

  private static void run(TestDatabase kind, int nodeCount) throws Exception {
    int events = 600;
    Deliveries deliveries = new Deliveries();
    List<Node> nodes = new ArrayList<>();
    ExecutorService writers = Executors.newFixedThreadPool(3);
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.write(scenario.coldWriter(), Scenario.events(events / 2));
      for (int i = 0; i < nodeCount; i++) {
        Outbox.DeliveringBuilder<?> builder =
            nodeCount == 1 ? Outbox.singleNode() : Outbox.multiNode().claimLocking("n" + i, LEASE);
        builder.hotQueueCapacity(50).intervalMs(5).deleteOnDone(true);
        nodes.add(new Node(scenario, "n" + i).start(builder, deliveries));
      }
      List<Future<?>> written = new ArrayList<>();
      for (int i = 0; i < events / 2; i++) {
        Node node = nodes.get(i % nodeCount);
        written.add(writers.submit(() -> write(node, List.of(Scenario.event()))));
      }
      for (Future<?> each : written) {
        each.get();
      }
      await().until(() -> scenario.counts().isEmpty());
      nodes.forEach(Node::close);
      assertThat(scenario.counts()).isEmpty();
      assertThat(deliveries.repeated()).isEmpty();
      assertThat(deliveries.count()).isEqualTo(events);
      assertThat(successes(nodes)).as("R9").isEqualTo(events);
    } finally {
      writers.shutdownNow();
      nodes.forEach(Node::close);
    }
  }

  @EachDatabase
  void R6_whatFailsIsTriedAgainAndWhatIsDeadStays(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind);
        Node node = new Node(scenario, "node")) {
      Deliveries deliveries = new Deliveries();
      deliveries.then(
          event ->
              switch (event.eventType()) {
                case "Dead" -> DispatchResult.dead("for good");
                case "Flaky" -> {
                  if (deliveries.countOf(event.eventId()) == 1) {
                    throw new IllegalStateException("the first time");
                  }
                  yield DispatchResult.done();
                }
                default -> DispatchResult.done();
              });
      node.start(deleting(Outbox.singleNode()).retryPolicy(attempts -> 10), deliveries);
      EventEnvelope dead = EventEnvelope.ofJson("Dead", "{}");
      write(node, List.of(EventEnvelope.ofJson("Flaky", "{}"), dead, Scenario.event()));

      await().until(() -> node.metrics.outcomes() == 4);
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.DEAD, 1));
      assertThat(scenario.status(dead.eventId())).isEqualTo(EventStatus.DEAD);
      assertThat(node.metrics.successes()).isEqualTo(2);
      assertThat(deliveries.count()).isEqualTo(4);
    }
  }

  @EachDatabase
  void R1_R3_deletesThatFailForAWhileAreMadeOnce(TestDatabase kind) {
    failing(kind, Outbox.singleNode());
    failing(kind, Outbox.multiNode().claimLocking(LEASE));
  }

  private static void failing(TestDatabase kind, Outbox.DeliveringBuilder<?> builder) {
    try (Scenario scenario = Scenario.on(kind);
        Node node = new Node(scenario, "node")) {
      String[] states = {"08006", "40P01", "40001", "HY000"};
      AtomicInteger calls = new AtomicInteger();
      node.store.on(
          "recordOutcomes",
          call -> {
            int n = calls.getAndIncrement();
            Object result = n % 2 == 0 ? null : call.proceed(); // before the statement, or after
            if (n < 2 * states.length) {
              SQLException told = new SQLException("told to fail", states[n / 2]);
              throw new OutboxStoreException("could not write outcomes", told);
            }
            return result == null ? call.proceed() : result;
          });
      Deliveries deliveries = new Deliveries();
      node.start(deleting(builder), deliveries);
      write(node, Scenario.events(100));

      await().until(() -> scenario.counts().isEmpty());
      node.close();
      assertThat(calls.get()).isGreaterThan(2 * states.length);
      assertThat(deliveries.count()).isEqualTo(100);
      assertThat(deliveries.repeated()).isEmpty();
      assertThat(node.metrics.successes()).as("R9").isEqualTo(100);
    }
  }

  @EachDatabase
  void R9_aDeleteWhoseCommitHadNoAnswerCountsOnce(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind);
        Node node = new Node(scenario, "node")) {
      AtomicInteger unanswered = new AtomicInteger();
      Scenario.withCommits(node.store);
      node.deliveringOn(
          real ->
              new Tap<>(Connection.class, real)
                  .on(
                      "commit",
                      call -> {
                        Object committed = call.proceed();
                        boolean outcomes =
                            Thread.currentThread().getName().startsWith("outbox-recorder-");
                        if (outcomes && unanswered.getAndIncrement() < 3) {
                          throw new SQLException("the connection broke", "08006");
                        }
                        return committed;
                      })
                  .proxy());
      Deliveries deliveries = new Deliveries();
      node.start(deleting(Outbox.multiNode().claimLocking(LEASE)), deliveries);
      write(node, Scenario.events(20));

      await().until(() -> node.metrics.outcomes() >= 20);
      node.close();
      assertThat(unanswered.get()).isGreaterThan(3);
      assertThat(scenario.counts()).isEmpty();
      assertThat(deliveries.repeated()).isEmpty();
      assertThat(node.metrics.successes()).as("R9").isEqualTo(20);
    }
  }

  @EachDatabase
  void R1_R3_aLockedRowHoldsUpNoOtherDeleteAndIsDeliveredOnce(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.on(kind);
        Connection other = scenario.pool.getConnection();
        Node node = new Node(scenario, "node")) {
      EventEnvelope unlucky = Scenario.event();
      scenario.write(scenario.coldWriter(), unlucky);
      other.setAutoCommit(false);
      Deliveries deliveries = new Deliveries();
      deliveries.then(
          event -> {
            if (event.eventId().equals(unlucky.eventId())) {
              lock(other, unlucky.eventId());
            }
            return DispatchResult.done();
          });
      node.start(deleting(Outbox.multiNode().claimLocking(LEASE)), deliveries);
      await().until(() -> deliveries.has(unlucky.eventId()));
      int calls = node.store.calls("recordOutcomes");
      for (int i = 1; i <= 5; i++) {
        write(node, Scenario.events(20));
        await().until(() -> scenario.counts().equals(Map.of(EventStatus.NEW, 1)));
      }
      await().until(() -> node.store.calls("recordOutcomes") > calls + 8);
      await("R9").until(() -> node.metrics.successes() == 100); // counted after their commit
      other.rollback();

      await().until(() -> scenario.counts().isEmpty());
      node.close();
      assertThat(deliveries.count()).isEqualTo(101);
      assertThat(node.metrics.successes()).as("R9").isEqualTo(101);
    }
  }

  @EachDatabase
  void R5_aDeleteOfALostLeaseLeavesTheRowToItsNewOwner(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind);
        Node late = new Node(scenario, "late")) {
      Deliveries deliveries = new Deliveries();
      deliveries.then(
          event -> {
            // As if it had taken longer than the lease, and another node had claimed the event.
            scenario.update("UPDATE outbox_event SET lease_no = lease_no + 1, locked_by = 'other'");
            return DispatchResult.done();
          });
      late.start(deleting(Outbox.multiNode().claimLocking("late", LEASE)), deliveries);
      write(late, List.of(Scenario.event()));

      await().until(() -> late.store.calls("recordOutcomes") > 0);
      late.close();
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.NEW, 1));
      assertThat(late.metrics.outcomes()).isZero();
    }
  }

  private static <B extends Outbox.DeliveringBuilder<B>> Outbox.DeliveringBuilder<B> deleting(
      Outbox.DeliveringBuilder<B> builder) {
    return builder.intervalMs(10).deleteOnDone(true);
  }

  private static void write(Node node, List<EventEnvelope> events) {
    Deadlocks.retried(
        () -> {
          try (JdbcTransactionManager.Transaction transaction = node.begin()) {
            node.writer().writeAll(events);
            transaction.commit();
            return null;
          }
        });
  }

  private static int successes(List<Node> nodes) {
    return nodes.stream().mapToInt(node -> node.metrics.successes()).sum();
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
