package io.outbox.it;

import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.RecordingMetrics;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** A multi-node outbox whose calls of the store can be watched, with a listener of its own. */
final class Member {

  /** Polls often; what else a node needs is set by the test. */
  static final long INTERVAL_MS = 20;

  final String name;
  final Deliveries deliveries = new Deliveries();
  final RecordingMetrics metrics = new RecordingMetrics();
  final Tap<OutboxStore> store;
  private final Scenario scenario;
  private Outbox outbox;

  Member(Scenario scenario, String name) {
    this.scenario = scenario;
    this.name = name;
    this.store = scenario.storeTap();
  }

  Member start(Duration claimTimeout) {
    return start(claimTimeout, builder -> builder);
  }

  /** Starts it and waits until it has polled, and so knows the database's time. */
  Member start(Duration claimTimeout, UnaryOperator<Outbox.MultiNodeBuilder> settings) {
    outbox =
        scenario.start(
            settings.apply(
                scenario
                    .wire(Outbox.multiNode())
                    .claimLocking(name, claimTimeout)
                    .outboxStore(store.proxy())
                    .listenerRegistry(Scenario.to(deliveries))
                    .metrics(metrics)
                    .intervalMs(INTERVAL_MS)));
    await().until(() -> store.calls("fetchPending") > 0);
    return this;
  }

  String write() {
    return scenario.write(outbox.writer(), Scenario.event());
  }

  List<String> write(int count) {
    return scenario.write(outbox.writer(), Scenario.events(count));
  }

  String write(EventEnvelope event) {
    return scenario.write(outbox.writer(), event);
  }

  /** Waits until it has polled that often from now on, each time from the start to the end. */
  void awaitPolls(int count) {
    int last = store.calls("fetchPending") + 1 + count;
    await().until(() -> store.calls("fetchPending") > last);
  }

  boolean holds(String eventId) {
    return String.valueOf(scenario.column("locked_by", eventId)).startsWith(name);
  }

  Outbox outbox() {
    return outbox;
  }
}
