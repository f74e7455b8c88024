package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.model.EventStatus;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R1: what was committed is delivered, whatever fails on its way. */
@Timeout(300)
class NothingIsLostTest {

  @EachDatabase
  void R1_aListenerThatThrowsAnErrorIsCalledAgainAndHoldsUpNobody(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Set<String> failed = ConcurrentHashMap.newKeySet();
      scenario.deliveries.then(
          event -> {
            if (failed.add(event.eventId())) {
              throw new StackOverflowError("too deep");
            }
            return DispatchResult.done();
          });
      Outbox outbox =
          scenario.start(scenario.singleNode().workerCount(2).retryPolicy(attempts -> 10));
      scenario.write(outbox.writer(), Scenario.events(20));

      scenario.awaitAllDone(20);
      assertThat(scenario.deliveries.repeated()).hasSize(20).values().containsOnly(2L);
      assertThat(scenario.query("SELECT DISTINCT attempts FROM outbox_event")).hasSize(1);
    }
  }

  @EachDatabase
  void R1_outcomesThatTheStoreRefusesAtFirstAreWrittenLater(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Tap<OutboxStore> store =
          scenario.storeTap().failing("recordOutcomes", 3, new OutOfMemoryError("for a moment"));
      Outbox outbox =
          scenario.start(scenario.singleNode().outboxStore(store.proxy()).intervalMs(10));
      scenario.write(outbox.writer(), Scenario.events(5));

      scenario.awaitAllDone(5);
      assertThat(store.calls("recordOutcomes")).isGreaterThan(3);
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }

  @EachDatabase
  void R1_queuesForOneEventLoseNothing(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .hotQueueCapacity(1)
                  .coldQueueCapacity(1)
                  .workerCount(1)
                  .intervalMs(50));
      ExecutorService writers = Executors.newFixedThreadPool(3);
      try {
        for (Future<?> written :
            IntStream.range(0, 120)
                .mapToObj(
                    i -> writers.submit(() -> scenario.write(outbox.writer(), Scenario.event())))
                .toList()) {
          written.get();
        }
      } finally {
        writers.shutdown();
      }
      scenario.awaitAllDone(120);
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }

  /** The database committed, its answer was lost: nobody knows, and the poller finds out. */
  @EachDatabase
  void R1_anEventWhoseCommitHadNoAnswerIsDelivered(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox single = scenario.start(scenario.singleNode().intervalMs(50));
      String id = commitWithoutAnswer(scenario, single.writer());
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(scenario.deliveries.ids()).containsExactly(id);
      single.close();

      Member node = new Member(scenario, "a").start(Duration.ofMinutes(1));
      String leased = commitWithoutAnswer(scenario, node.outbox().writer());
      assertThat(scenario.status(leased)).isEqualTo(EventStatus.NEW);
      scenario.endLeases();
      scenario.awaitStatus(leased, EventStatus.DONE);
      assertThat(node.deliveries.ids()).containsExactly(leased);
    }
  }

  private static String commitWithoutAnswer(Scenario scenario, OutboxWriter writer) {
    JdbcTransactionManager unlucky =
        new JdbcTransactionManager(
            () ->
                new Tap<>(Connection.class, scenario.pool.getConnection())
                    .on(
                        "commit",
                        call -> {
                          call.proceed();
                          throw new SQLException("the connection broke", "08006");
                        })
                    .proxy(),
            scenario.tx);
    EventEnvelope event = Scenario.event();
    try (JdbcTransactionManager.Transaction transaction = unlucky.begin()) {
      writer.write(event);
      transaction.commit();
      throw new AssertionError("this commit was to fail");
    } catch (OutboxStoreException e) {
      assertThat(e).hasMessageContaining("unknown");
      return event.eventId();
    }
  }

  @Test
  void R1_thePollerGoesOnAfterAnyThrowable() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Tap<OutboxStore> store =
          scenario.storeTap().failing("fetchPending", 5, new NoClassDefFoundError("missing"));
      scenario.start(scenario.singleNode().outboxStore(store.proxy()).intervalMs(10));
      String id = scenario.write(scenario.coldWriter(), Scenario.event());
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(store.calls("fetchPending")).isGreaterThan(5);
    }
  }

  @Test
  void R1_theRenewalOfLeasesGoesOnAfterAnyThrowable() throws Exception {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      CountDownLatch release = new CountDownLatch(1);
      Member node = new Member(scenario, "a");
      node.deliveries.then(
          event -> {
            release.await();
            return DispatchResult.done();
          });
      node.store.failing("renewLeases", 2, new LinkageError("missing"));
      node.start(Duration.ofMillis(500));
      String id = node.write();
      await().until(() -> node.store.calls("renewLeases") > 3);
      release.countDown();
      scenario.awaitStatus(id, EventStatus.DONE);
    }
  }

  @Test
  void R1_thePurgeGoesOnAfterAnyThrowable() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Tap<EventPurger> purger =
          new Tap<>(EventPurger.class, (conn, before, limit) -> 0)
              .failing("purge", 1, new LinkageError("missing"));
      scenario.start(scenario.singleNode().purger(purger.proxy()).purgeIntervalSeconds(1));
      await().until(() -> purger.calls("purge") >= 2);
    }
  }

  @Test
  void R1_whatMetricsThrowDisturbsNoDelivery() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Tap<MetricsExporter> metrics = new Tap<>(MetricsExporter.class, MetricsExporter.NOOP);
      for (var method : MetricsExporter.class.getMethods()) {
        metrics.failing(
            method.getName(), Integer.MAX_VALUE, new NoClassDefFoundError("io/micrometer"));
      }
      scenario.deliveries.then(
          event ->
              scenario.deliveries.countOf(event.eventId()) == 1
                  ? DispatchResult.retryAfter(Duration.ZERO)
                  : DispatchResult.done());
      Outbox outbox = scenario.start(scenario.singleNode().metrics(metrics.proxy()).intervalMs(20));
      scenario.write(outbox.writer(), Scenario.events(5));
      scenario.write(scenario.coldWriter(), Scenario.events(5));
      scenario.awaitAllDone(10);
      assertThat(scenario.deliveries.count()).isEqualTo(20);
    }
  }

  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new StackOverflowError("about itself");
    }
  }

  @Test
  void R1_anExceptionThatCannotBeToldIsAFailureLikeAnyOther() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.deliveries.then(
          event -> {
            throw new Unspeakable();
          });
      Outbox outbox =
          scenario.start(
              scenario.singleNode().maxAttempts(2).retryPolicy(attempts -> 1).intervalMs(20));
      String id = scenario.write(outbox.writer(), Scenario.event());
      scenario.awaitStatus(id, EventStatus.DEAD);
      assertThat(scenario.deliveries.count()).isEqualTo(2);
      assertThat((String) scenario.column("last_error", id)).contains("Unspeakable");
    }
  }

  @Test
  void R1_whatInterceptorsAndRetryPoliciesThrowIsAFailureOfTheEvent() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      EventInterceptor broken =
          new EventInterceptor() {
            @Override
            public void beforeDispatch(EventEnvelope event) {
              if (event.eventType().equals("Refused")) {
                throw new LinkageError("before");
              }
            }

            @Override
            public void afterDispatch(EventEnvelope event, Exception error) {
              throw new LinkageError("after");
            }
          };
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .interceptor(broken)
                  .intervalMs(20)
                  .retryPolicy(
                      attempts -> {
                        throw new LinkageError("no policy");
                      }));
      String refused = scenario.write(outbox.writer(), EventEnvelope.ofJson("Refused", "{}"));
      String fine = scenario.write(outbox.writer(), Scenario.event());

      scenario.awaitStatus(fine, EventStatus.DONE);
      scenario.awaitStatus(refused, EventStatus.RETRY);
      assertThat(scenario.number("attempts", refused)).isEqualTo(1);
      assertThat((String) scenario.column("last_error", refused)).contains("before");
    }
  }
}
