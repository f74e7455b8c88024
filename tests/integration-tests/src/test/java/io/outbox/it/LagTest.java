package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.OutboxOperator;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingMetrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The age of the oldest undelivered event, whatever it waits for. */
@Timeout(300)
class LagTest {

  /** What was first due then is late, whatever the clock says. */
  private static final String LONG_AGO = "2025-06-01 10:00:00";

  private static final Duration LONG = Duration.ofDays(300);
  private static final Duration AGAIN = Duration.ofMillis(200);

  static Stream<Arguments> modesAndDatabases() {
    return Databases.all()
        .flatMap(kind -> Arrays.stream(BuiltMode.values()).map(mode -> Arguments.of(mode, kind)));
  }

  private static Outbox start(Scenario scenario, BuiltMode mode, RecordingMetrics metrics) {
    return scenario.start(mode.builder(scenario, 200).metrics(metrics));
  }

  /** In metrics, in what health asks for, and in what an operator sees. */
  private static void assertLate(Scenario scenario, RecordingMetrics metrics) throws SQLException {
    await().until(() -> metrics.oldestLagMs() > LONG.toMillis());
    try (Connection conn = scenario.pool.getConnection()) {
      Instant oldest = scenario.store.backlog(conn, 1000).orElseThrow().oldestWaiting();
      assertThat(Duration.between(oldest, scenario.databaseTime())).isGreaterThan(LONG);
    }
    assertThat(OutboxOperator.of(scenario.connections, scenario.store).overview().lag())
        .isGreaterThan(LONG);
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("modesAndDatabases")
  void R24_anOutageDoesNotHideBehindItsDeferrals(BuiltMode mode, TestDatabase kind)
      throws SQLException {
    // ordered() waits with its first event, and moves nothing
    String due = mode == BuiltMode.ORDERED ? "available_at" : "waiting_since";
    triedAgainAndAgain(
        mode,
        kind,
        due,
        event -> {
          throw new OutageException("the broker is down");
        });
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("modesAndDatabases")
  void R24_aListenerThatDefersDoesNotHideTheLag(BuiltMode mode, TestDatabase kind)
      throws SQLException {
    triedAgainAndAgain(mode, kind, "waiting_since", event -> DispatchResult.retryAfter(AGAIN));
  }

  private interface Answer {
    DispatchResult to(EventEnvelope event);
  }

  /** {@code due} is the column with the time from which the lag counts then. */
  private static void triedAgainAndAgain(
      BuiltMode mode, TestDatabase kind, String due, Answer answer) throws SQLException {
    try (Scenario scenario = BuiltMode.on(kind)) {
      AtomicBoolean down = new AtomicBoolean(true);
      scenario.deliveries.then(event -> down.get() ? answer.to(event) : DispatchResult.done());
      RecordingMetrics metrics = new RecordingMetrics();
      Outbox outbox = start(scenario, mode, metrics);
      String id = scenario.write(outbox.writer(), Scenario.event());
      await().until(() -> scenario.deliveries.has(id));
      await().until(() -> scenario.instant(due, id) != null);

      scenario.update("UPDATE outbox_event SET " + due + " = '" + LONG_AGO + "'");
      // by the second there was another deferral
      int calls = scenario.deliveries.countOf(id);
      await().until(() -> scenario.deliveries.countOf(id) >= calls + 2);
      assertLate(scenario, metrics);

      down.set(false);
      scenario.awaitStatus(id, EventStatus.DONE);
      await().until(() -> metrics.oldestLagMs() == 0);
      assertThat(scenario.deliveries.events()).noneMatch(EventEnvelope::isDelayed);
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("modesAndDatabases")
  void R24_aPauseDoesNotHideTheLag(BuiltMode mode, TestDatabase kind) throws SQLException {
    try (Scenario scenario = BuiltMode.on(kind)) {
      try (Connection conn = scenario.pool.getConnection()) {
        scenario
            .store
            .operator()
            .orElseThrow()
            .pause(conn, new DeliveryPause(null, Scenario.TYPE, "tester", Instant.now(), null));
      }
      RecordingMetrics metrics = new RecordingMetrics();
      Outbox outbox = start(scenario, mode, metrics);
      String id = scenario.write(outbox.writer(), Scenario.event());
      scenario.update("UPDATE outbox_event SET available_at = '" + LONG_AGO + "'");

      assertLate(scenario, metrics);
      assertThat(scenario.status(id)).isEqualTo(EventStatus.NEW);
    }
  }

  @EachDatabase
  void R24_aLeaseDoesNotHideTheLag(TestDatabase kind) throws SQLException {
    try (Scenario scenario = BuiltMode.on(kind)) {
      CountDownLatch end = new CountDownLatch(1);
      scenario.deliveries.then(
          event -> {
            end.await();
            return DispatchResult.done();
          });
      RecordingMetrics metrics = new RecordingMetrics();
      Outbox outbox = start(scenario, BuiltMode.MULTI_NODE, metrics);
      scenario.write(outbox.writer(), Scenario.event());
      await().until(() -> scenario.deliveries.count() == 1);
      scenario.update("UPDATE outbox_event SET available_at = '" + LONG_AGO + "'");
      try {
        assertLate(scenario, metrics);
      } finally {
        end.countDown();
      }
    }
  }

  /** As with a table of an earlier version. */
  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("modesAndDatabases")
  void withoutTheColumnEventsAreDeliveredAsBefore(BuiltMode mode, TestDatabase kind) {
    try (Scenario scenario = BuiltMode.on(kind)) {
      scenario.update(
          "DROP INDEX outbox_event_waiting"
              + (kind == TestDatabase.H2 || kind == TestDatabase.POSTGRES
                  ? ""
                  : " ON outbox_event"));
      scenario.update("ALTER TABLE outbox_event DROP COLUMN waiting_since");
      AtomicBoolean first = new AtomicBoolean(true);
      scenario.deliveries.then(
          event ->
              first.getAndSet(false) ? DispatchResult.retryAfter(AGAIN) : DispatchResult.done());
      Outbox outbox = start(scenario, mode, new RecordingMetrics());
      scenario.write(outbox.writer(), Scenario.events(5));
      scenario.write(scenario.coldWriter(), Scenario.events(5));
      scenario.awaitAllDone(10);
      assertThat(scenario.deliveries.count()).isEqualTo(11);
    }
  }
}
