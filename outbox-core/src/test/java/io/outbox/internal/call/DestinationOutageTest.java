package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Engine;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.fakes.ManualClock;
import io.outbox.internal.breaker.DestinationBreakers;
import io.outbox.model.EventStatus;
import io.outbox.publish.Addressed;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One destination of a listener is missing: its events wait, and those of no other. */
class DestinationOutageTest {

  private static final int MANY = 300;

  private final ManualClock clock = new ManualClock();
  private Engine engine = new Engine();
  private final Topics topics = new Topics();

  /** Publishes to topics, which are the tenants of the events. */
  private static final class Topics implements AsyncEventListener, Addressed {
    private final Set<String> missing = ConcurrentHashMap.newKeySet();
    private final List<String> published = new CopyOnWriteArrayList<>();
    private final AtomicInteger refused = new AtomicInteger();

    @Override
    public String destinationOf(EventEnvelope event) {
      return event.tenantId();
    }

    @Override
    public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
      return CompletableFuture.supplyAsync(() -> publish(event));
    }

    private DispatchResult publish(EventEnvelope event) {
      if (missing.contains(event.tenantId())) {
        refused.incrementAndGet();
        throw OutageException.ofDestination(event.tenantId(), "there is no such topic", null);
      }
      published.add(event.eventId());
      return null;
    }
  }

  @AfterEach
  void close() throws Exception {
    engine.close();
    assertThat(engine.database.openConnections()).isZero();
  }

  private void start(boolean claiming) {
    EventListener listener = topics.asEventListener();
    engine.dispatcherSettings.listenerRegistry((aggregate, type) -> listener);
    engine.pollerSettings.intervalMs(50);
    if (claiming) {
      engine.claiming(Duration.ofMinutes(5));
    }
    engine.start();
  }

  private static List<EventEnvelope> events(String topic, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> EventEnvelope.builder("Any").tenantId(topic).payloadJson("1").build())
        .toList();
  }

  private List<String> write(String topic, int count) {
    List<EventEnvelope> events = events(topic, count);
    engine.write(events.toArray(EventEnvelope[]::new));
    return events.stream().map(EventEnvelope::eventId).toList();
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R25_eventsOfAMissingDestinationWaitAndThoseOfOthersGoOn(boolean claiming) {
    topics.missing.add("typo");
    start(claiming);
    write("typo", MANY);
    await().until(() -> engine.metrics.unavailableDestinations() == 1);
    List<String> others = write("orders", MANY);

    await().until(() -> engine.store.count(EventStatus.DONE) == MANY);
    assertThat(topics.published).containsExactlyInAnyOrderElementsOf(others);
    assertThat(engine.metrics.unavailableListeners()).isLessThan(1);
    assertThat(engine.store.count(EventStatus.NEW)).isEqualTo(MANY);
    assertThat(engine.store.rows()).allMatch(row -> row.attempts() == 0);
    assertThat(CapturedLogs.of(DestinationBreakers.class, Level.WARNING))
        .anyMatch(line -> line.contains("typo takes no events: there is no such topic"));

    topics.missing.clear();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> engine.store.count(EventStatus.DONE) == 2 * MANY);
    assertThat(topics.published).doesNotHaveDuplicates().hasSize(2 * MANY);
    await().until(() -> engine.metrics.unavailableDestinations() == 0);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R25_aMissingDestinationIsCalledByTrialsAlone(boolean claiming) {
    topics.missing.add("typo");
    start(claiming);
    write("typo", 1);
    await().until(() -> engine.metrics.unavailableDestinations() == 1);
    int before = topics.refused.get();
    write("typo", MANY);
    write("orders", MANY);

    await().until(() -> topics.published.size() == MANY);
    await().until(() -> engine.metrics.count("heldBack") >= MANY);
    assertThat(topics.refused.get() - before).isLessThan(20);
  }

  /** Not called again and again to end: the trials have told what is missing. */
  @Test
  void R25_whenTheyAreTooOldTheyAreDeadForTheReasonThatTheyWaitedFor() throws Exception {
    engine.close();
    engine = new Engine(clock);
    engine.dispatcherSettings.maxAge(Duration.ofDays(1));
    topics.missing.add("typo");
    start(true);
    engine.write(
        IntStream.range(0, 20)
            .mapToObj(
                i ->
                    EventEnvelope.builder("Any")
                        .tenantId("typo")
                        .occurredAt(clock.instant())
                        .payloadJson("1")
                        .build())
            .toArray(EventEnvelope[]::new));
    await().until(() -> engine.metrics.unavailableDestinations() == 1);
    await().until(() -> engine.store.rows().stream().allMatch(row -> row.lease() == null));
    assertThat(engine.store.count(EventStatus.DEAD)).isZero();
    clock.advance(Duration.ofDays(1));

    await().until(() -> engine.store.count(EventStatus.DEAD) == 20);
    assertThat(engine.store.rows())
        .allMatch(row -> row.attempts() == 0)
        .allMatch(row -> row.lastError().contains("there is no such topic"));
  }

  @Test
  void R25_aListenerThatDoesNotNameItsDestinationsGoesOnAsWell() {
    topics.missing.add("typo");
    EventListener listener = topics::publish;
    engine.dispatcherSettings.listenerRegistry((aggregate, type) -> listener);
    engine.pollerSettings.intervalMs(50);
    engine.start();
    write("typo", 10);
    write("orders", MANY);

    await().until(() -> topics.published.size() == MANY);
    await().until(() -> topics.refused.get() >= 10);
    assertThat(engine.store.rows()).allMatch(row -> row.attempts() == 0);
    assertThat(engine.metrics.unavailableListeners()).isLessThan(1);
  }

  @Test
  void R25_whereAllEventsAreInOrderTheyWaitForEachOther() {
    FakeDatabase database = new FakeDatabase();
    FakeStore store = new FakeStore(database, Clock.systemUTC());
    FakeTx tx = new FakeTx(database);
    topics.missing.add("typo");
    EventListener listener = topics.asEventListener();
    List<EventEnvelope> first = events("typo", 1);
    List<EventEnvelope> rest = events("orders", 5);
    try (Outbox outbox =
        Outbox.ordered()
            .connectionProvider(database)
            .txContext(tx)
            .outboxStore(store)
            .listenerRegistry((aggregate, type) -> listener)
            .intervalMs(50)
            .build()) {
      tx.run(() -> outbox.writer().writeAll(first));
      tx.run(() -> outbox.writer().writeAll(rest));
      await().until(() -> topics.refused.get() >= 2);
      assertThat(topics.published).isEmpty();
      topics.missing.clear();

      await().until(() -> store.count(EventStatus.DONE) == 6);
      assertThat(topics.published.get(0)).isEqualTo(first.get(0).eventId());
      assertThat(topics.published).hasSize(6);
    }
  }
}
