package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.fakes.RecordingMetrics;
import io.outbox.fakes.SpecOnlyStore;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A store with the specification's required methods, and nothing else, works in every mode. */
class SpecOnlyStoreTest {

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final FakeTx tx = new FakeTx(database);
  private final RecordingMetrics metrics = new RecordingMetrics();
  private final List<String> delivered = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();
  private final DefaultListenerRegistry registry =
      new DefaultListenerRegistry().registerDefault(this::deliver);
  private Outbox outbox;

  private DispatchResult deliver(EventEnvelope event) {
    delivered.add(event.eventId());
    if (failures.merge(event.eventId(), -1, Integer::sum) >= 0) {
      throw new IllegalStateException("injected");
    }
    return DispatchResult.done();
  }

  @AfterEach
  void close() {
    outbox.close();
  }

  static Stream<Named<Supplier<Outbox.DeliveringBuilder<?>>>> modes() {
    return Stream.of(
        Named.of("singleNode", Outbox::singleNode),
        Named.of("multiNode", () -> Outbox.multiNode().claimLocking(Duration.ofMinutes(5))));
  }

  private void build(Supplier<Outbox.DeliveringBuilder<?>> mode) {
    Outbox.DeliveringBuilder<?> builder = mode.get();
    builder
        .connectionProvider(database)
        .txContext(tx)
        .outboxStore(new SpecOnlyStore(store))
        .listenerRegistry(registry)
        .metrics(metrics)
        .intervalMs(60_000);
    builder.retryPolicy(attempts -> 200L * attempts).maxAttempts(3);
    outbox = builder.build();
  }

  private void write(EventEnvelope... events) {
    tx.run(() -> outbox.writer().writeAll(List.of(events)));
  }

  @ParameterizedTest
  @MethodSource("modes")
  void theHotPathDeliversOnce(Supplier<Outbox.DeliveringBuilder<?>> mode) {
    build(mode);
    write(Events.events("e", 100).toArray(EventEnvelope[]::new));

    await().until(() -> store.count(EventStatus.DONE) == 100);
    assertThat(delivered).hasSize(100).doesNotHaveDuplicates();
    await().until(() -> metrics.count("success") == 100);
  }

  @ParameterizedTest
  @MethodSource("modes")
  void R14_aBacklogIsDrainedThoughThereIsNoCursor(Supplier<Outbox.DeliveringBuilder<?>> mode) {
    Events.events("e", 1_000).forEach(store::seed);
    build(mode);

    await().until(() -> store.count(EventStatus.DONE) == 1_000);
    assertThat(delivered).hasSize(1_000).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("modes")
  void R11_everyRetryComesWhenItIsDueThoughNobodySaysWhenThatIs(
      Supplier<Outbox.DeliveringBuilder<?>> mode) {
    failures.put("once", 1);
    failures.put("twice", 2);
    failures.put("always", 99);
    build(mode);
    write(Events.event("once"), Events.event("twice"), Events.event("always"));

    await().until(() -> store.status("always") == EventStatus.DEAD);
    await().until(() -> store.count(EventStatus.DONE) == 2);
    assertThat(store.row("once").attempts()).isEqualTo(1);
    assertThat(store.row("twice").attempts()).isEqualTo(2);
    assertThat(delivered).filteredOn("always"::equals).hasSize(3);
  }

  @ParameterizedTest
  @MethodSource("modes")
  void R11_everyDelayedEventComesWhenItIsDue(Supplier<Outbox.DeliveringBuilder<?>> mode) {
    build(mode);
    for (int i = 1; i <= 5; i++) {
      write(
          EventEnvelope.builder(Events.TYPE)
              .eventId("e" + i)
              .deliverAfter(Duration.ofMillis(100L * i))
              .payloadJson("{}")
              .build());
    }

    await().until(() -> store.count(EventStatus.DONE) == 5);
    assertThat(delivered).containsExactly("e1", "e2", "e3", "e4", "e5");
  }
}
