package io.outbox.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.fakes.Engine;
import io.outbox.fakes.ManualClock;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An event that cannot be delivered ends when it is old, but never unseen. */
class MaxAgeTest {

  private static final Duration DAY = Duration.ofDays(1);

  private final ManualClock clock = new ManualClock();
  private final Engine engine = new Engine(clock);
  private final AtomicInteger calls = new AtomicInteger();
  private final List<String> reasons = new CopyOnWriteArrayList<>();
  private volatile boolean down = true;

  @AfterEach
  void close() throws Exception {
    engine.close();
  }

  private void start() {
    engine.dispatcherSettings.maxAge(DAY).onDead((event, reason) -> reasons.add(reason));
    engine.pollerSettings.intervalMs(20);
    engine.start();
  }

  private DispatchResult publish(EventEnvelope event) {
    calls.incrementAndGet();
    if (down) {
      throw new OutageException("the broker is down");
    }
    return DispatchResult.done();
  }

  private EventEnvelope event(String id) {
    return EventEnvelope.builder("Tested")
        .eventId(id)
        .occurredAt(clock.instant())
        .payloadJson("{}")
        .build();
  }

  @Test
  void whatWaitedTooLongWithoutBeingCalledIsDelivered() {
    engine.store.seed(event("e"));
    clock.advance(DAY.multipliedBy(30));
    start();

    await().until(() -> engine.store.status("e") == EventStatus.DONE);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void anEventWhoseDestinationIsAlwaysDownEnds(boolean claiming) {
    if (claiming) {
      engine.claiming(Duration.ofMinutes(5));
    }
    engine.listener(this::publish);
    start();
    engine.write(event("e"));
    await().until(() -> calls.get() > 0);
    await().until(() -> engine.store.row("e").lease() == null);
    assertThat(engine.store.status("e")).isEqualTo(EventStatus.NEW);
    clock.advance(DAY);

    await().until(() -> engine.store.status("e") == EventStatus.DEAD);
    assertThat(engine.store.row("e").attempts()).isZero();
    assertThat(engine.store.row("e").lastError()).contains("PT24H (maxAge)", "broker is down");
    await().until(() -> engine.metrics.count("dead") == 1);
    await().until(() -> reasons.size() == 1);
    assertThat(reasons.get(0)).contains("maxAge");
  }

  @Test
  void anEventThatItsListenerPutsOffForEverEnds() {
    engine.listener(event -> DispatchResult.retryAfter(DAY.multipliedBy(3)));
    start();
    engine.write(event("e"));
    await().until(() -> engine.store.row("e").availableAt().isAfter(clock.instant()));
    assertThat(engine.store.row("e").availableAt()).isEqualTo(clock.instant().plus(DAY));
    clock.advance(DAY);

    await().until(() -> engine.store.status("e") == EventStatus.DEAD);
    assertThat(engine.delivered()).hasSize(2);
  }

  @Test
  void aReplayedEventIsYoungAgain() {
    engine.listener(
        event -> {
          throw new IllegalStateException("broken");
        });
    engine.store.seed(event("e"));
    clock.advance(DAY);
    start();
    await().until(() -> engine.store.status("e") == EventStatus.DEAD);
    clock.advance(DAY);
    engine.tx.run(() -> engine.store.replayDead(engine.tx.currentConnection(), "e"));

    await().until(() -> engine.store.status("e") == EventStatus.RETRY);
    clock.advance(DAY);
    await().until(() -> engine.store.status("e") == EventStatus.DEAD);
    assertThat(engine.store.row("e").attempts()).isEqualTo(2);
  }

  @Test
  void whatWaitsForADestinationToComeBackIsNotKilledForThat() {
    int many = 50;
    IntStream.range(0, many).forEach(i -> engine.store.seed(event("e" + i)));
    clock.advance(DAY.multipliedBy(2));
    EventListener broker = this::publish; // a gate knows it by its identity
    engine.dispatcherSettings.listenerRegistry((aggregate, type) -> broker).workerCount(1);
    start();
    await().until(() -> engine.metrics.unavailableListeners() == 1);
    await().until(() -> engine.store.count(EventStatus.DEAD) > 0);
    down = false;
    clock.advance(Duration.ofMinutes(1));

    await()
        .until(
            () -> {
              clock.advance(Duration.ofMillis(100));
              return engine.store.count(EventStatus.NEW) == 0;
            });
    assertThat(calls.get()).isEqualTo(many);
    assertThat(engine.store.count(EventStatus.DEAD)).isLessThan(many / 2);
  }

  @Test
  void inOrderTheNextComesAfterTheOneThatIsTooOld() {
    List<String> done = new CopyOnWriteArrayList<>();
    try (Outbox outbox =
        Outbox.ordered()
            .connectionProvider(engine.database)
            .txContext(engine.tx)
            .outboxStore(engine.store)
            .listenerRegistry(
                (aggregate, type) ->
                    event -> {
                      calls.incrementAndGet();
                      if (event.eventId().equals("first")) {
                        throw new OutageException("down");
                      }
                      done.add(event.eventId());
                      return null;
                    })
            .clock(clock)
            .maxAge(DAY)
            .intervalMs(50)
            .build()) {
      engine.tx.run(() -> outbox.writer().writeAll(List.of(event("first"), event("second"))));
      await().until(() -> calls.get() >= 2);
      assertThat(done).isEmpty();
      clock.advance(DAY);

      await().until(() -> done.contains("second"));
      await().until(() -> engine.store.status("first") == EventStatus.DEAD);
    }
  }
}
