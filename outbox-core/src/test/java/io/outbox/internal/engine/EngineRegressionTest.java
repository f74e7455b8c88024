package io.outbox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventStatus;
import io.outbox.spi.JsonCodec;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Faults of the engine as a whole that were found by reading it. */
class EngineRegressionTest {

  private final Engine engine = new Engine();
  private final CountDownLatch unblock = new CountDownLatch(1);

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.close();
  }

  private void awaitStatus(String id, EventStatus status) {
    await().until(() -> engine.store.status(id) == status);
  }

  private void awaitDelivered(String... ids) {
    await().until(() -> engine.delivered().containsAll(List.of(ids)));
  }

  /** Which is how some pools tell that the database is away. */
  @Test
  void R3_aPoolThatGivesNoConnectionAndNoReasonIsAnOutageNotARefusal() {
    AtomicBoolean failing = new AtomicBoolean();
    AtomicInteger failures = new AtomicInteger();
    engine.database.onConnect =
        () -> {
          if (failing.get() && Thread.currentThread().getName().startsWith("outbox-recorder-")) {
            failures.incrementAndGet();
            throw new SQLException("cannot get a connection");
          }
        };
    engine.pollerSettings.intervalMs(100);
    engine.start();
    failing.set(true);
    engine.write(Events.event("a"));
    await().until(() -> failures.get() >= 1);
    failing.set(false);
    engine.write(Events.event("b"));
    awaitStatus("b", EventStatus.DONE);
    awaitStatus("a", EventStatus.DONE);
    failing.set(true);
    engine.write(Events.event("c"));
    // A refused outcome would be given up after five tries, because others were written before.
    await().until(() -> failures.get() >= 7);
    failing.set(false);
    awaitStatus("c", EventStatus.DONE);

    assertThat(engine.delivered()).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  void R12_whatAnOpenTransactionHasReservedDoesNotStopThePoller() {
    engine.claiming(Duration.ofMinutes(5));
    engine.pollerSettings.intervalMs(100);
    engine.dispatcherSettings.maxQueuedBytes(1_000_000);
    engine.store.seed(Events.event("first"));
    engine.start();
    awaitStatus("first", EventStatus.DONE); // from now on rows are born with leases
    List<EventEnvelope> bulk = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      bulk.add(Events.eventOfSize("bulk" + i, 70_000));
    }
    engine.tx.begin();
    engine.writer().writeAll(bulk);
    engine.store.seed(Events.eventOfSize("large", 700_000));
    engine.store.seed(Events.event("small"));

    awaitDelivered("large", "small");
    engine.tx.rollback();
  }

  @Test
  void R7_suspectsThatCannotBeAloneDoNotHoldUpTheOthers() {
    engine.claiming(Duration.ofMinutes(5));
    engine.pollerSettings.intervalMs(100);
    engine.listener(
        event -> {
          if (event.eventId().equals("slow")) {
            unblock.await();
          }
          return null;
        });
    engine.start();
    engine.store.seed(Events.event("first"));
    awaitStatus("first", EventStatus.DONE);
    engine.write(Events.event("slow"));
    awaitDelivered("slow");
    for (int i = 0; i < 100; i++) {
      engine.store.seed(Events.event("suspect" + i), row -> row.claims = 5);
    }
    // The first of them gets its turn though something runs.
    await().until(() -> engine.delivered().stream().anyMatch(id -> id.startsWith("suspect")));
    for (int i = 0; i < 100; i++) {
      engine.write(Events.event("hot" + i));
    }

    // Each suspect that waited for two seconds would hold up one of four workers.
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> engine.delivered().stream().filter(id -> id.startsWith("hot")).count() == 100);
  }

  @Test
  void R7_aSuspectThatAClosingOutboxInterruptedIsNotToBlame() throws Exception {
    engine.claiming(Duration.ofMinutes(5));
    engine.dispatcherSettings.maxAttempts(2);
    engine.pollerSettings.intervalMs(50);
    engine.store.seed(Events.event("e"), row -> row.claims = 5);
    engine.listener(
        event -> {
          unblock.await();
          return null;
        });
    for (int i = 1; i <= 3; i++) {
      int times = i;
      engine.start();
      await().until(() -> engine.delivered().size() == times);
      engine.poller().close();
      engine.dispatcher().close();
      await().until(() -> engine.store.row("e").lease() == null);
      assertThat(engine.store.row("e").starts()).isZero();
    }

    assertThat(engine.store.status("e")).isEqualTo(EventStatus.NEW);
  }

  @Test
  void R7_aStartWhoseAnswerWasLostDoesNotCount() {
    engine.claiming(Duration.ofMinutes(5));
    engine.dispatcherSettings.maxAttempts(2);
    engine.pollerSettings.intervalMs(50);
    engine.store.seed(Events.event("e"), row -> row.claims = 5);
    AtomicInteger lost = new AtomicInteger();
    engine.database.afterCommit =
        () -> {
          boolean worker = Thread.currentThread().getName().startsWith("outbox-worker-");
          if (worker && engine.store.row("e").starts() > 0 && lost.incrementAndGet() <= 3) {
            throw new SQLException("connection reset", "08006");
          }
        };
    engine.start();

    await().until(() -> !engine.store.status("e").isPending());
    assertThat(engine.store.status("e")).isEqualTo(EventStatus.DONE);
    assertThat(engine.delivered()).containsExactly("e");
  }

  @Test
  void R5_aListenerThatAClosingOutboxInterruptedGivesItsLeaseBack() throws Exception {
    engine.claiming(Duration.ofMinutes(5));
    engine.listener(
        event -> {
          unblock.await();
          return null;
        });
    engine.store.seed(Events.event("e"));
    engine.start();
    awaitDelivered("e");
    engine.poller().close();
    engine.dispatcher().close();

    await().until(() -> engine.store.row("e").lease() == null);
    assertThat(engine.store.status("e")).isEqualTo(EventStatus.NEW);
  }

  @Test
  void R11_aRetryIsPunctualThoughTheWritersClockIsAhead() {
    AtomicInteger calls = new AtomicInteger();
    engine.pollerSettings.intervalMs(100);
    engine.listener(
        event -> {
          if (calls.incrementAndGet() == 1) {
            throw new IllegalStateException("first");
          }
          return null;
        });
    engine.dispatcherSettings.retryPolicy(n -> 50);
    engine.start();
    engine.write(
        EventEnvelope.builder("T")
            .eventId("e")
            .occurredAt(Instant.now().plus(Duration.ofDays(1)))
            .payloadJson("{}")
            .build());

    awaitStatus("e", EventStatus.DONE);
  }

  @Test
  void R1_aCodecThatThrowsAnErrorAtOneRowDoesNotStopTheRowsBehindIt() {
    JsonCodec.setDefault(
        new JsonCodec() {
          @Override
          public String toJson(Object value) {
            return "{}";
          }

          @Override
          public <T> T fromJson(String json, Class<T> type) {
            throw new AssertionError("a fault of the codec");
          }
        });
    try {
      engine.pollerSettings.intervalMs(50);
      engine.store.seed(Events.event("bad"), row -> row.headersJson = "{\"a\":\"b\"}");
      engine.store.seed(Events.event("good"));
      engine.start();

      awaitDelivered("good");
      assertThat(engine.store.status("bad")).isEqualTo(EventStatus.NEW);
    } finally {
      JsonCodec.setDefault(null);
    }
  }

  @Test
  void R3_aFailedSecondWriteDoesNotEndTheTicketOfTheFirst() {
    engine.build();
    EventEnvelope event = Events.event("e");
    engine.tx.begin();
    engine.writer().write(event);
    assertThat(catchFailure(() -> engine.writer().write(event))).isNotNull();
    List<Runnable> callbacks = engine.tx.commitWithoutCallbacks();
    engine.poller().poll();
    awaitStatus("e", EventStatus.DONE);
    await().until(() -> engine.engine().held().size() == 0);
    callbacks.forEach(Runnable::run);
    engine.write(Events.event("next"));
    awaitStatus("next", EventStatus.DONE);

    assertThat(engine.delivered()).containsExactly("e", "next");
  }

  @Test
  void aFailedSecondWriteLeavesTheHotPathToTheFirst() {
    engine.claiming(Duration.ofMinutes(5));
    engine.store.seed(Events.event("first"));
    engine.start();
    awaitStatus("first", EventStatus.DONE); // from now on rows are born with leases
    EventEnvelope event = Events.event("e");
    engine.tx.begin();
    engine.writer().write(event);
    assertThat(catchFailure(() -> engine.writer().write(event))).isNotNull();
    engine.tx.commit();

    awaitStatus("e", EventStatus.DONE);
    assertThat(engine.metrics.count("hot")).isEqualTo(1);
  }

  private static RuntimeException catchFailure(Runnable work) {
    try {
      work.run();
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  @Test
  void R13_whatWaitsForTheRowCheckIsBoundedInBytes() {
    engine.dispatcherSettings.checkRowsBeforeHotDelivery(true).maxQueuedBytes(1_000_000);
    engine.store.before("findExisting", ids -> awaitQuietly(unblock));
    engine.build();
    for (int i = 0; i < 50; i++) {
      engine.write(Events.eventOfSize("e" + i, 100_000));
    }

    assertThat(engine.engine().held().all().stream().mapToLong(Delivery::bytes).sum())
        .isLessThanOrEqualTo(1_000_000);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void R11_inOrderedModeACommitWakesThePollerForWhatIsDueNowAndLater() throws Exception {
    FakeDatabase database = new FakeDatabase();
    FakeStore store = new FakeStore(database);
    FakeTx tx = new FakeTx(database);
    List<String> delivered = new CopyOnWriteArrayList<>();
    try (Outbox outbox =
        Outbox.ordered()
            .connectionProvider(database)
            .outboxStore(store)
            .txContext(tx)
            .intervalMs(Duration.ofHours(1).toMillis())
            .listenerRegistry(
                (aggregate, type) ->
                    event -> {
                      delivered.add(event.eventType());
                      return null;
                    })
            .build()) {
      await().until(() -> store.calls("fetchPending") >= 1);
      tx.run(() -> outbox.writer().write("now", "{}"));
      await().until(() -> delivered.equals(List.of("now")));
      tx.run(
          () ->
              outbox
                  .writer()
                  .write(
                      EventEnvelope.builder("later")
                          .deliverAfter(Duration.ofMillis(300))
                          .payloadJson("{}")
                          .build()));
      await().until(() -> delivered.equals(List.of("now", "later")));
    }
  }
}
