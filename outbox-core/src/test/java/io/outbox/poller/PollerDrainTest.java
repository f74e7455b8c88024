package io.outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.fakes.ManualClock;
import io.outbox.fakes.SpecOnlyStore;
import io.outbox.model.EventStatus;
import io.outbox.spi.Backlog;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.PendingQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The poller with our own dispatcher: it goes on as long as it makes progress. */
class PollerDrainTest {

  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  private final ManualClock clock = new ManualClock();
  private Engine engine = new Engine();
  private final CountDownLatch unblock = new CountDownLatch(1);

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.close();
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R14_aBacklogIsDrainedWithoutWaitingForTheInterval(boolean claiming) {
    if (claiming) {
      engine.claiming(FIVE_MINUTES);
    }
    List<String> ids = Events.events("e", 2_000).map(EventEnvelope::eventId).toList();
    Events.events("e", 2_000).forEach(engine.store::seed);
    engine.start();

    await().until(() -> engine.store.count(EventStatus.DONE) == 2_000);
    assertThat(new ArrayList<>(engine.delivered())).containsExactlyInAnyOrderElementsOf(ids);
  }

  @ParameterizedTest(name = "limiting bytes {0}")
  @ValueSource(booleans = {false, true})
  void R13_batchesGrowWithABacklogOnlyIfTheStoreLimitsTheirBytes(boolean limiting) {
    engine.store.limitsBytes = limiting;
    List<Integer> limits = new CopyOnWriteArrayList<>();
    engine.store.before("fetchPending", query -> limits.add(((PendingQuery) query).limit()));
    engine.pollerSettings.batchSize(5);
    Events.events("e", 500).forEach(engine.store::seed);
    engine.start();

    await().until(() -> engine.store.count(EventStatus.DONE) == 500);
    assertThat(limits.get(0)).isEqualTo(5);
    assertThat(limits).allMatch(limit -> limit <= (limiting ? 100 : 5));
    assertThat(limits.contains(100)).isEqualTo(limiting);
  }

  @ParameterizedTest(name = "wrapped {0}")
  @ValueSource(booleans = {false, true})
  void R13_aBatchThatDoesNotFitIntoMemoryIsTriedInSmallerOnes(boolean wrapped) {
    engine.store.before(
        "fetchPending",
        query -> {
          if (((PendingQuery) query).limit() > 4) {
            OutOfMemoryError error = new OutOfMemoryError("Java heap space");
            if (wrapped) {
              throw new IllegalStateException(new SQLException("ran out of memory", error));
            }
            throw error;
          }
        });
    engine.pollerSettings.batchSize(50).intervalMs(60_000);
    Events.events("e", 40).forEach(engine.store::seed);
    engine.start();

    await().until(() -> engine.store.count(EventStatus.DONE) == 40);
  }

  @Test
  void anEventThatDoesNotFitIntoMemoryIsNotTriedInALoop() {
    AtomicInteger polls = new AtomicInteger();
    engine.store.before(
        "fetchPending",
        query -> {
          polls.incrementAndGet();
          throw new OutOfMemoryError("Java heap space");
        });
    engine.pollerSettings.intervalMs(60_000);
    engine.store.seed(Events.event("e"));
    engine.start();

    await().during(Duration.ofMillis(200)).until(() -> polls.get() == 2);
  }

  @Test
  void R14_aBacklogBehindATinyQueueIsDrainedInOrder() {
    engine.dispatcherSettings.workerCount(1).coldQueueCapacity(3);
    engine.pollerSettings.batchSize(2);
    List<String> ids = Events.events("e", 300).map(EventEnvelope::eventId).toList();
    Events.events("e", 300).forEach(engine.store::seed);
    engine.start();

    await().until(() -> engine.store.count(EventStatus.DONE) == 300);
    assertThat(engine.delivered()).isEqualTo(ids);
  }

  @Test
  void R1_aRowThatAppearsBehindTheCursorIsFound() {
    AtomicInteger delivered = new AtomicInteger();
    engine.pollerSettings.batchSize(5).intervalMs(50);
    engine.listener(
        event -> {
          if (delivered.incrementAndGet() == 10) {
            engine.store.seed(
                Events.event("behind"), row -> row.availableAt = Events.CREATED.minusSeconds(60));
          }
          return null;
        });
    Events.events("e", 50).forEach(engine.store::seed);
    engine.start();

    await().until(() -> engine.store.count(EventStatus.DONE) == 51);
  }

  @Test
  void R13_onlyAboutTwoSecondsOfWorkAreClaimed() {
    engine.claiming(FIVE_MINUTES);
    engine.listener(
        event -> {
          unblock.await();
          return null;
        });
    Events.events("e", 900).forEach(engine.store::seed);
    engine.start();
    await().until(() -> engine.metrics.count("cold") >= 150);

    await()
        .during(Duration.ofMillis(100))
        .until(
            () -> engine.store.rows().stream().filter(row -> row.lease() != null).count() <= 250);
  }

  @Test
  void R11_aRowThatIsDueLaterIsPolledThen() {
    engine.store.seed(Events.event("e"), row -> row.availableAt = Instant.now().plusMillis(150));
    engine.start();

    await().until(() -> engine.store.status("e") == EventStatus.DONE);
  }

  // ---- claimed again while in our hands

  private void buildWithBlockedWorker() throws Exception {
    engine.close();
    engine = new Engine(clock);
    engine.claiming(FIVE_MINUTES).dispatcherSettings.workerCount(1);
    engine.listener(
        event -> {
          unblock.await();
          return null;
        });
    engine.build();
  }

  private void outlastTheLeases() {
    engine.store.before(
        "renewLeases",
        leases -> {
          throw new IllegalStateException("injected");
        });
    clock.advance(FIVE_MINUTES.plusSeconds(1));
  }

  @Test
  void R3_afterAPauseLongerThanItsLeasesANodeRenewsThemBeforeItPolls() throws Exception {
    buildWithBlockedWorker();
    engine.store.seed(Events.event("running"));
    engine.store.seed(Events.event("queued"));
    engine.poller().poll();
    await().until(() -> engine.delivered().contains("running"));
    clock.advance(FIVE_MINUTES.plusSeconds(1)); // the machine slept, or the database was away
    engine.poller().poll();

    assertThat(engine.store.row("running").lease().number()).as("not claimed again").isEqualTo(1);
    unblock.countDown();
    await().until(() -> engine.store.count(EventStatus.DONE) == 2);
    assertThat(engine.delivered()).containsExactly("running", "queued");
  }

  @Test
  void R5_aQueuedEventWhoseLeaseRanOutGoesOnUnderTheNewOne() throws Exception {
    buildWithBlockedWorker();
    engine.store.seed(Events.event("running"));
    engine.store.seed(Events.event("queued"));
    engine.poller().poll();
    await().until(() -> engine.delivered().contains("running"));
    outlastTheLeases();
    engine.poller().poll();

    assertThat(engine.store.row("queued").lease().number()).isEqualTo(2);
    assertThat(engine.store.row("running").lease()).as("not wanted, so given back").isNull();
    unblock.countDown();
    await().until(() -> engine.store.status("queued") == EventStatus.DONE);
    assertThat(engine.delivered()).containsExactly("running", "queued");
  }

  @Test
  void R5_theOutcomeOfARunningEventWhoseLeaseWasLostIsNotWrittenButItIsDeliveredAgain()
      throws Exception {
    buildWithBlockedWorker();
    engine.store.seed(Events.event("e"));
    engine.poller().poll();
    await().until(() -> engine.delivered().contains("e"));
    outlastTheLeases();
    engine.poller().poll();
    unblock.countDown();
    await()
        .until(
            () -> {
              engine.poller().poll();
              return engine.store.status("e") == EventStatus.DONE;
            });

    assertThat(engine.delivered()).containsExactly("e", "e");
    await().until(() -> engine.metrics.count("success") == 1);
  }

  // ---- what is told

  @Test
  void theBacklogIsReportedWhileItIsBeingDrained() {
    AtomicInteger reports = new AtomicInteger();
    engine.store(
        new SpecOnlyStore(engine.store) {
          @Override
          public Optional<Backlog> backlog(Connection conn, int cap) {
            return Optional.of(new Backlog(Map.of(EventStatus.NEW, 7L), cap, null));
          }
        });
    engine.pollerSettings.metrics(
        new MetricsExporter.Noop() {
          @Override
          public boolean wantsBacklog() {
            return true;
          }

          @Override
          public void recordBacklog(Backlog backlog) {
            reports.addAndGet((int) backlog.pending());
          }
        });
    engine.dispatcherSettings.workerCount(1).coldQueueCapacity(1);
    engine.listener(
        event -> {
          unblock.await();
          return null;
        });
    Events.events("e", 10).forEach(engine.store::seed);
    engine.start();

    await().until(() -> reports.get() >= 7);
  }

  @Test
  void aBacklogThatCannotBeCountedCostsNoPoll() {
    engine.store(
        new SpecOnlyStore(engine.store) {
          @Override
          public Optional<Backlog> backlog(Connection conn, int cap) {
            throw new IllegalStateException("injected");
          }
        });
    engine.pollerSettings.metrics(
        new MetricsExporter.Noop() {
          @Override
          public boolean wantsBacklog() {
            return true;
          }
        });
    engine.store.seed(Events.event("e"));
    engine.start();

    await().until(() -> engine.store.status("e") == EventStatus.DONE);
  }

  @Test
  void aFullBatchThatNobodyHereCanReadDoesNotMakeThePollerSpin() {
    JsonCodec.setDefault(null);
    engine.store.learned = false;
    engine.pollerSettings.batchSize(2);
    for (int i = 0; i < 4; i++) {
      engine.store.seed(Events.event("e" + i), row -> row.headersJson = "{\"a\":\"b\"}");
    }
    JsonCodec.setDefault(new UnloadableCodec());
    try {
      engine.start();
      await().until(() -> engine.store.calls("fetchPending") >= 1);
      await().during(Duration.ofMillis(200)).until(() -> engine.store.calls("fetchPending") <= 2);
    } finally {
      JsonCodec.setDefault(null);
    }
    assertThat(engine.store.count(EventStatus.NEW)).isEqualTo(4);
  }

  private static final class UnloadableCodec implements JsonCodec {
    @Override
    public String toJson(Object obj) {
      throw new NoClassDefFoundError("injected");
    }

    @Override
    public <T> T fromJson(String json, Class<T> type) {
      throw new NoClassDefFoundError("injected");
    }
  }
}
