package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies for subscriptions are delivered before their rows are written. */
@Timeout(300)
class CopiesAheadOfRowsTest {

  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final String MAIL = "mail";
  private static final String AUDIT = "audit";
  private static final String COPIES =
      "SELECT event_id, status, lease_no FROM outbox_event WHERE aggregate_type LIKE '%@@%'";

  private final Deliveries mail = new Deliveries();
  private final Deliveries audit = new Deliveries();
  private final CountDownLatch released = new CountDownLatch(1);

  @AfterEach
  void release() {
    released.countDown();
  }

  private DefaultListenerRegistry both() {
    return new DefaultListenerRegistry()
        .subscribe(Scenario.TYPE, MAIL, mail)
        .subscribe(Scenario.TYPE, AUDIT, audit);
  }

  private DispatchResult whenReleased(EventEnvelope event) throws InterruptedException {
    released.await();
    return DispatchResult.done();
  }

  private static List<EventEnvelope> events(int count) {
    return IntStream.range(0, count)
        .mapToObj(n -> EventEnvelope.ofJson(Scenario.TYPE, "{}"))
        .toList();
  }

  private Outbox multiNode(Scenario scenario, OutboxStore store) {
    return scenario.start(
        scenario.multiNode(LEASE).outboxStore(store).intervalMs(100).listenerRegistry(both()));
  }

  private void assertOnceEach(Scenario scenario, int events) {
    scenario.awaitAllDone(3 * events);
    for (Deliveries listener : List.of(mail, audit)) {
      assertThat(listener.count()).isEqualTo(events);
      assertThat(listener.repeated()).isEmpty();
    }
  }

  private static int status(Scenario scenario, String subscription, String id) {
    List<List<Object>> rows =
        scenario.query(
            "SELECT status FROM outbox_event WHERE aggregate_type LIKE ? AND event_id LIKE ?",
            "%@@" + subscription,
            id + "~%");
    return rows.isEmpty() ? -1 : ((Number) rows.get(0).get(0)).intValue();
  }

  @EachDatabase
  void quickListenersCostOneWriteEach(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Tap<OutboxStore> store = scenario.storeTap();
      Outbox outbox = multiNode(scenario, store.proxy());

      scenario.write(outbox.writer(), events(50));

      assertOnceEach(scenario, 50);
      assertThat(store.calls("insertFinished")).isPositive();
      // No lease was ever needed for most of them.
      assertThat(scenario.query(COPIES + " AND lease_no = 0")).hasSizeGreaterThan(50);
    }
  }

  @EachDatabase
  void aSlowListenerHoldsUpNeitherTheOthersNorTheEvent(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      mail.then(this::whenReleased);
      Outbox outbox = multiNode(scenario, scenario.store);
      String id = scenario.write(outbox.writer(), events(1)).get(0);

      await().until(() -> status(scenario, AUDIT, id) == EventStatus.DONE.code());
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(status(scenario, MAIL, id)).isEqualTo(EventStatus.NEW.code());
      assertThat(scenario.query(COPIES + " AND locked_by IS NOT NULL")).hasSize(1);

      released.countDown();
      assertOnceEach(scenario, 1);
    }
  }

  @EachDatabase
  void aFailureBeforeTheRowIsThereIsARetryOfThatCopyAlone(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      AtomicInteger failures = new AtomicInteger(1);
      EventListener once =
          event -> {
            if (failures.getAndDecrement() > 0) {
              throw new IllegalStateException("not now");
            }
            return DispatchResult.done();
          };
      mail.then(once);
      Outbox outbox = multiNode(scenario, scenario.store);

      scenario.write(outbox.writer(), events(1));

      scenario.awaitAllDone(3);
      assertThat(mail.count()).isEqualTo(2);
      assertThat(audit.count()).isEqualTo(1);
      assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE attempts = 1")).hasSize(1);
    }
  }

  @EachDatabase
  void R3_whatListenersDidIsKeptUntilTheDatabaseIsBack(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Tap<OutboxStore> store =
          scenario
              .storeTap()
              .failing("insertFinished", 2, new OutboxStoreException("away", gone()));
      Outbox outbox = multiNode(scenario, store.proxy());

      scenario.write(outbox.writer(), events(20));

      assertOnceEach(scenario, 20);
      assertThat(store.calls("insertFinished")).isGreaterThan(2);
    }
  }

  private static SQLException gone() {
    return new SQLException("the connection is gone", "08006");
  }

  @EachDatabase
  void R3_rowsWhoseCommitGotNoAnswerAreNotWrittenTwice(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      AtomicInteger answers = new AtomicInteger(1);
      mail.then(this::whenReleased); // of each event one copy is pending, and one is finished
      Tap<OutboxStore> store =
          scenario
              .storeTap()
              .on(
                  "insertFinished",
                  call -> {
                    Object result = call.proceed();
                    if (answers.getAndDecrement() > 0) {
                      ((Connection) call.arguments()[0]).commit();
                      throw new OutboxStoreException("no answer", gone());
                    }
                    return result;
                  });
      Outbox outbox = multiNode(scenario, store.proxy());

      scenario.write(outbox.writer(), events(3));
      await().until(() -> answers.get() <= 0);
      released.countDown();

      assertOnceEach(scenario, 3);
    }
  }

  /** A trigger, a table that is full, a codec that is missing: nobody knows for how long. */
  @EachDatabase
  void R3_listenersAreNotCalledAgainAndAgainWhileRowsAreRefused(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      RuntimeException refused = new IllegalStateException("no codec");
      Tap<OutboxStore> store = scenario.storeTap().failing("insertFinished", 3, refused);
      AtomicInteger inserts = new AtomicInteger(6);
      store.on(
          "insertAll",
          call -> {
            if (mail.count() > 0 && inserts.getAndDecrement() > 0) {
              throw refused;
            }
            return call.proceed();
          });
      Outbox outbox = multiNode(scenario, store.proxy());

      scenario.write(outbox.writer(), events(1));

      await().until(() -> inserts.get() <= 0);
      scenario.awaitAllDone(3);
      assertThat(mail.count()).isEqualTo(2); // ahead of its row, and from it
    }
  }

  @Test
  void R3_whatListenersDidIsWrittenBeforeTheOutboxIsClosed() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Tap<OutboxStore> store =
          scenario
              .storeTap()
              .failing("insertFinished", 1, new OutboxStoreException("away", gone()));
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .outboxStore(store.proxy())
                  .drainTimeoutMs(0)
                  .listenerRegistry(both()));
      scenario.write(outbox.writer(), events(1));
      await().until(() -> store.calls("insertFinished") > 0);

      outbox.stop(); // in the pause after the outage
      outbox.start();

      assertOnceEach(scenario, 1);
    }
  }

  @Test
  void withOneDeliveryAtATimeRowsComeFirst() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Tap<OutboxStore> store = scenario.storeTap();
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .outboxStore(store.proxy())
                  .workerCount(1)
                  .maxInFlight(1)
                  .listenerRegistry(both()));

      scenario.write(outbox.writer(), events(20));

      assertOnceEach(scenario, 20);
      assertThat(store.calls("insertFinished")).isZero();
    }
  }

  /** One is looked at alone, the others together: none of them may wait for an answer forever. */
  @Test
  void R18_aFailureThatNobodyCanReadDoesNotEndTheExpansion() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      RuntimeException unreadable =
          new RuntimeException("unreadable") {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized Throwable getCause() {
              throw new IllegalStateException("not even this");
            }
          };
      AtomicInteger looks = new AtomicInteger();
      Tap<OutboxStore> store =
          scenario
              .storeTap()
              .on(
                  "findExisting",
                  call -> {
                    switch (looks.incrementAndGet()) {
                      case 1 -> released.await();
                      case 2 -> throw unreadable;
                      default -> {}
                    }
                    return call.proceed();
                  });
      AtomicInteger begun = new AtomicInteger();
      EventInterceptor counting = EventInterceptor.before(event -> begun.incrementAndGet());
      scenario.start(
          scenario
              .singleNode()
              .outboxStore(store.proxy())
              .intervalMs(100)
              .interceptor(counting)
              .listenerRegistry(both()));

      scenario.write(scenario.coldWriter(), events(1));
      await().until(() -> looks.get() > 0);
      scenario.write(scenario.coldWriter(), events(3));
      await().until(() -> begun.get() >= 4);
      released.countDown();

      scenario.awaitAllDone(12);
    }
  }

  @ParameterizedTest(name = "many nodes: {0}")
  @ValueSource(booleans = {false, true})
  void R3_aReplayedEventHasItsCopiesAlreadyThoughTheyAreInAnotherPartition(boolean manyNodes) {
    Database database = TestDatabase.POSTGRES.fresh();
    new PartitionRotation("outbox_event", 1_000, 3, Duration.ofMillis(200))
        .create(database.dataSource());
    try (Scenario scenario = Scenario.on(database)) {
      Outbox outbox =
          manyNodes
              ? multiNode(scenario, scenario.store)
              : scenario.start(scenario.singleNode().intervalMs(100).listenerRegistry(both()));
      List<String> ids = scenario.write(outbox.writer(), events(2));
      assertOnceEach(scenario, 2);
      scenario.query("SELECT setval(pg_get_serial_sequence('outbox_event', 'seq'), 1500)");

      OutboxOperator.of(scenario.connections, scenario.store)
          .perform(new OperatorAction.Replay(), ids);

      scenario.awaitAllDone(6);
      await()
          .until(
              () ->
                  scenario
                          .query(
                              "SELECT event_id FROM outbox_event WHERE replayed_at IS NOT NULL AND status = 1")
                          .size()
                      == 2);
      assertOnceEach(scenario, 2);
    }
  }
}
