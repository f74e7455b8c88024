package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events are delivered, but what came of it cannot be written for a while, or nobody knows. */
class UnwrittenOutcomesTest {

  private static final int QUEUE = 50;
  private static final int WORKERS = 4;
  private static final int EVENTS = 400;

  private enum Failure {
    CONNECTION_BROKEN(() -> broken("08006", 0)),
    POOL_EMPTY(() -> wrapped(new SQLTransientConnectionException("no connection in time"))),
    SHUTTING_DOWN(() -> broken("57P01", 0)),
    DEADLOCK(() -> broken("40P01", 0)),
    SERIALIZATION(() -> broken("40001", 0)),
    MYSQL_DEADLOCK(() -> broken("40001", 1213)),
    LOCK_NOT_AVAILABLE(() -> broken("55P03", 0)),
    MYSQL_LOCK_TIMEOUT(() -> broken("HY000", 1205)),
    TOO_SLOW(() -> wrapped(new SQLTimeoutException("cancelled"))),
    GENERAL(() -> broken("HY000", 4711)),
    RUNTIME(() -> new IllegalArgumentException("a bug in a driver")),
    ERROR(() -> new StackOverflowError("a worse bug")),
    ANY(Failure::any);

    private final Supplier<Throwable> throwable;

    Failure(Supplier<Throwable> throwable) {
      this.throwable = throwable;
    }

    private static Throwable broken(String state, int code) {
      return wrapped(new SQLException("told to fail", state, code));
    }

    private static Throwable wrapped(SQLException cause) {
      return new OutboxStoreException("could not write outcomes: " + cause.getMessage(), cause);
    }

    private static Throwable any() {
      int kinds = values().length - 1;
      return values()[ThreadLocalRandom.current().nextInt(kinds)].throwable.get();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CONNECTION_BROKEN", "DEADLOCK", "ERROR", "ANY"})
  void R1_R9_R13_outcomesThatFailForAWhileAreWrittenOnce(Failure failure) throws Exception {
    run(failure, Duration.ofMillis(700));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("soak")
  void R1_R9_R13_soakOfOutcomesThatFailForAWhile(Failure failure) throws Exception {
    run(failure, Duration.ofSeconds(5));
  }

  @Test
  @Tag("soak")
  void R1_R9_R13_outcomesThatFailForAMinuteAreWrittenOnce() throws Exception {
    run(Failure.CONNECTION_BROKEN, Duration.ofMinutes(1));
    run(Failure.GENERAL, Duration.ofMinutes(1));
    run(Failure.ANY, Duration.ofMinutes(1));
  }

  private static void run(Failure failure, Duration duration) throws Exception {
    long seed = ThreadLocalRandom.current().nextLong();
    Ledger ledger = new Ledger();
    AtomicBoolean failing = new AtomicBoolean(true);
    try (Scenario scenario = Scenario.on(TestDatabase.POSTGRES);
        Writers writers = new Writers(ledger, seed);
        Node node = new Node(scenario, failure + ", seed " + seed)) {
      node.store.on(
          "recordOutcomes",
          call -> {
            if (failing.get()) {
              throw failure.throwable.get();
            }
            return call.proceed();
          });
      node.start(
          Outbox.singleNode()
              .hotQueueCapacity(QUEUE)
              .coldQueueCapacity(QUEUE)
              .workerCount(WORKERS)
              .intervalMs(5),
          ledger.listening(node.name, event -> DispatchResult.done()));
      writers.start(node, 4, EVENTS).join();

      long until = System.nanoTime() + duration.toNanos();
      Await.until(
          "as many deliveries as outcomes may be unwritten",
          Duration.ofSeconds(60),
          () -> ledger.count() >= 2 * QUEUE);
      await().atMost(duration.plusSeconds(60)).until(() -> System.nanoTime() - until > 0);
      assertThat(ledger.count())
          .as("R13: workers wait while too many outcomes are unwritten, %s", node)
          .isLessThanOrEqualTo(2 * QUEUE + WORKERS);
      assertThat(node.metrics.outcomes()).as("R9: nothing is in the database").isZero();
      failing.set(false);

      scenario.awaitFinished(Duration.ofSeconds(90));
      node.close();
      Findings findings = ledger.check(scenario).assertExactlyOnce();
      assertThat(node.metrics.successes()).as("R9: %s", node).isEqualTo(findings.committed);
    }
  }

  // ---- one row is locked by somebody else

  @EachDatabase
  void R1_R3_aLockedRowHoldsUpNoOtherOutcomeAndIsDeliveredOnce(TestDatabase kind) throws Exception {
    lockedRow(kind, Outbox.singleNode());
    lockedRow(kind, Outbox.multiNode().claimLocking(Duration.ofMinutes(1)));
  }

  private static void lockedRow(TestDatabase kind, Outbox.DeliveringBuilder<?> builder)
      throws Exception {
    Ledger ledger = new Ledger();
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch locked = new CountDownLatch(1);
    EventEnvelope unlucky = Scenario.event();
    try (Scenario scenario = Scenario.on(kind);
        Connection other = scenario.pool.getConnection();
        Node node = new Node(scenario, kind + " node")) {
      node.start(
          builder.intervalMs(10),
          ledger.listening(
              node.name,
              event -> {
                if (event.eventId().equals(unlucky.eventId())) {
                  called.countDown();
                  locked.await();
                }
                return DispatchResult.done();
              }));
      write(node, ledger, List.of(unlucky));
      assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
      other.setAutoCommit(false);
      lock(other, unlucky.eventId());
      locked.countDown();
      int calls = node.store.calls("recordOutcomes");
      for (int i = 1; i <= 10; i++) {
        write(node, ledger, Scenario.events(20));
        int done = 20 * i;
        await().until(() -> scenario.count(EventStatus.DONE) == done);
      }
      await().until(() -> node.store.calls("recordOutcomes") > calls + 10);
      assertThat(scenario.status(unlucky.eventId())).isEqualTo(EventStatus.NEW);
      await("R9").until(() -> node.metrics.successes() == 200); // counted after their commit
      other.rollback();

      await().until(() -> scenario.status(unlucky.eventId()) == EventStatus.DONE);
      node.close();
      ledger.check(scenario).assertExactlyOnce();
      assertThat(node.metrics.successes()).as("R9").isEqualTo(201);
    }
  }

  private static void lock(Connection connection, String eventId) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT event_id FROM outbox_event WHERE event_id = ? FOR UPDATE")) {
      statement.setString(1, eventId);
      assertThat(statement.executeQuery().next()).isTrue();
    }
  }

  private static void write(Node node, Ledger ledger, List<EventEnvelope> events) {
    events.forEach(ledger::open);
    OutboxWriter writer = node.writer();
    Deadlocks.retried(
        () -> {
          try (JdbcTransactionManager.Transaction transaction = node.begin()) {
            writer.writeAll(events);
            transaction.commit();
            return null;
          }
        });
    ledger.end(events, Ledger.Fate.COMMITTED);
  }

  // ---- outcomes are committed, but the answer is lost

  @EachDatabase
  void R9_anOutcomeWhoseCommitHadNoAnswerCountsOnce(TestDatabase kind) {
    lostAnswers(kind, Outbox.singleNode());
    lostAnswers(kind, Outbox.multiNode().claimLocking(Duration.ofMinutes(1)));
  }

  /** Each event fails once and then succeeds; the commit of either outcome seems to fail. */
  private static void lostAnswers(TestDatabase kind, Outbox.DeliveringBuilder<?> builder) {
    Ledger ledger = new Ledger();
    Set<String> failed = ConcurrentHashMap.newKeySet();
    LostAnswers lost = new LostAnswers();
    try (Scenario scenario = Scenario.on(kind);
        Node node = new Node(scenario, kind + " node")) {
      node.deliveringOn(lost::connection);
      node.store.on("recordOutcomes", lost::recording);
      node.start(
          builder.intervalMs(10).retryPolicy(attempts -> 500),
          ledger.listening(
              node.name,
              event -> {
                if (failed.add(event.eventId())) {
                  throw new IllegalStateException("the first time");
                }
                return DispatchResult.done();
              }));
      write(node, ledger, Scenario.events(100));
      scenario.awaitFinished(Duration.ofSeconds(90));
      await().until(() -> node.metrics.outcomes() >= 200);
      node.close();

      assertThat(lost.count.get()).as("commits without an answer").isPositive();
      assertThat(ledger.count()).as("each event is delivered twice, %s", node).isEqualTo(200);
      assertThat(node.metrics.failures()).as("R9: %s", node).isEqualTo(100);
      assertThat(node.metrics.successes()).as("R9: %s", node).isEqualTo(100);
      assertThat(scenario.query("SELECT DISTINCT attempts FROM outbox_event").toString())
          .as("an attempt counts once")
          .isEqualTo("[[1]]");
    }
  }

  /** Commits the first write of each outcome, and then says that it failed. */
  private static final class LostAnswers {
    private final Set<String> unlucky = ConcurrentHashMap.newKeySet();
    private final ThreadLocal<Boolean> armed = ThreadLocal.withInitial(() -> false);
    private final AtomicInteger count = new AtomicInteger();

    private Object recording(Tap.Call call) throws Throwable {
      List<?> outcomes = (List<?>) call.arguments()[1];
      boolean first = false;
      for (Object each : outcomes) {
        Outcome outcome = (Outcome) each;
        first |= unlucky.add(outcome.eventId() + outcome.status());
      }
      Connection conn = (Connection) call.arguments()[0];
      if (first && conn.getAutoCommit()) {
        call.proceed(); // one statement, without a transaction
        throw new OutboxStoreException("no answer", lost());
      }
      armed.set(first);
      return call.proceed();
    }

    private SQLException lost() {
      count.incrementAndGet();
      return new SQLException("the connection broke", "08006");
    }

    private Connection connection(Connection real) {
      return new Tap<>(Connection.class, real)
          .on(
              "commit",
              call -> {
                call.proceed();
                if (armed.get()) {
                  armed.set(false);
                  throw lost();
                }
                return null;
              })
          .proxy();
    }
  }
}
