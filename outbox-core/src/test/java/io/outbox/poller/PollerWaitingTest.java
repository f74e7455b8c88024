package io.outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventListener;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.model.EventStatus;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A poller with nothing to do waits, and a wait never holds anybody up. */
class PollerWaitingTest {

  private final Engine engine = new Engine();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private final EventListener blocked =
      event -> {
        unblock.await();
        return null;
      };

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.close();
  }

  private long polls() {
    return engine.store.calls("fetchPending");
  }

  /** Lets a poller that spins show it; the bound is far above what one that waits does. */
  private void assertFewPollsWithin(Duration time, long most) {
    long before = polls();
    long end = System.nanoTime() + time.toNanos();
    await().atMost(Duration.ofSeconds(60)).until(() -> System.nanoTime() - end > 0);
    assertThat(polls() - before).isLessThanOrEqualTo(most);
  }

  @Test
  void R15_aPollerThatWaitsForAFullQueueCanBeClosed() throws Exception {
    engine.dispatcherSettings.workerCount(1).coldQueueCapacity(1);
    engine.listener(blocked);
    Events.events("e", 5).forEach(engine.store::seed);
    engine.start();
    await().until(() -> engine.metrics.count("cold") == 2);

    long start = System.nanoTime();
    engine.poller().close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
  }

  @Test
  void R15_aPollerThatWaitsForProgressCanBeClosed() throws Exception {
    engine.store.learned = false;
    engine.dispatcherSettings.workerCount(1);
    engine.pollerSettings.batchSize(3);
    engine.listener(blocked);
    Events.events("e", 5).forEach(engine.store::seed);
    engine.start();
    await().until(() -> polls() >= 2);

    long start = System.nanoTime();
    engine.poller().close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
  }

  @Test
  void R13_eventsWithoutRoomForTheirBytesAreNotFetchedAgainAndAgain() throws Exception {
    engine.dispatcherSettings.workerCount(1).maxQueuedBytes(10_000);
    engine.pollerSettings.batchSize(3);
    engine.listener(blocked);
    List<String> ids = IntStream.range(0, 20).mapToObj(i -> "e" + i).toList();
    ids.forEach(id -> engine.store.seed(Events.eventOfSize(id, 6_000)));
    engine.start();
    await().until(() -> engine.metrics.count("cold") == 2);

    assertFewPollsWithin(Duration.ofMillis(300), 3);
    unblock.countDown();
    await().until(() -> engine.store.count(EventStatus.DONE) == 20);
    assertThat(engine.delivered()).isEqualTo(ids);
  }

  @Test
  void R13_aReservationThatTakesAllBytesDoesNotMakeThePollerSpin() throws Exception {
    engine.claiming(Duration.ofMinutes(5)).dispatcherSettings.maxQueuedBytes(10_000);
    engine.build();
    engine.poller().poll(); // learns the database's time
    engine.tx.begin();
    engine.writer().write(Events.eventOfSize("uncommitted", 8_000));
    engine.store.seed(Events.eventOfSize("large", 6_000));
    engine.poller().start();
    await().until(() -> polls() >= 2);

    assertFewPollsWithin(Duration.ofMillis(300), 3);
    engine.tx.commit();
    await().until(() -> engine.store.count(EventStatus.DONE) == 2);
  }

  @Test
  void aPollerWhoseDispatcherIsClosedDoesNotSpin() throws Exception {
    engine.start();
    engine.dispatcher().close();
    engine.store.seed(Events.event("late"));

    assertFewPollsWithin(Duration.ofMillis(300), 2);
    assertThat(engine.store.status("late")).isEqualTo(EventStatus.NEW);
  }

  @Test
  void R1_afterAnOutageOutcomesAreWrittenBeforeThePollerGoesOn() throws Exception {
    engine.pollerSettings.intervalMs(20);
    engine.start();
    await().until(() -> polls() >= 1);
    engine.store.before(
        "recordOutcomes",
        outcomes -> {
          throw new IllegalStateException(new SQLTransientConnectionException("away", "08006"));
        });
    engine.store.seed(Events.event("e"));
    await().until(() -> engine.delivered().contains("e"));
    await().until(() -> engine.store.calls("recordOutcomes") >= 2);

    assertFewPollsWithin(Duration.ofMillis(300), 2);
    engine.store.heal();
    await().until(() -> engine.store.status("e") == EventStatus.DONE);
    assertThat(engine.delivered()).containsExactly("e");
    long before = polls();
    await().until(() -> polls() > before);
  }

  @Test
  void R1_thePollerSurvivesADatabaseThatIsAway() throws Exception {
    engine.pollerSettings.intervalMs(10);
    engine.database.onConnect =
        () -> {
          throw new SQLException("connection refused", "08001");
        };
    engine.start();
    engine.store.seed(Events.event("e"));
    engine.database.onConnect = () -> {};

    await().until(() -> engine.store.status("e") == EventStatus.DONE);
  }

  @Test
  void R1_thePollerSurvivesAnErrorOfTheStore() throws Exception {
    engine.pollerSettings.intervalMs(10);
    engine.store.before(
        "fetchPending",
        query -> {
          throw new NoClassDefFoundError("gone");
        });
    engine.start();
    await().until(() -> polls() >= 2);
    engine.store.heal();
    engine.store.seed(Events.event("e"));

    await().until(() -> engine.store.status("e") == EventStatus.DONE);
  }
}
