package io.outbox.relay.table;

import io.outbox.Outbox;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.time.Duration;

/**
 * The section {@code dispatcher}.
 *
 * @param listenerTimeout null for none
 */
record Dispatcher(
    int workerCount,
    int maxInFlight,
    int queueCapacity,
    long maxQueuedBytes,
    Duration listenerTimeout,
    long drainTimeoutMs) {

  static Dispatcher read(Section section) {
    Values values = Values.of(section);
    Dispatcher dispatcher =
        new Dispatcher(
            values.integer("worker-count", 4, 1, 1000),
            values.integer("max-in-flight", 256, 1, 100_000),
            values.integer("cold-queue-capacity", 1000, 1, 1_000_000),
            values.bytes("max-queued-bytes", 64L << 20, 1024),
            values.duration("listener-timeout", null, Duration.ofMillis(1)),
            values.number("drain-timeout-ms", 5000, 0, 3_600_000));
    section.done();
    return dispatcher;
  }

  void applyTo(Outbox.AbstractBuilder<?> builder) {
    builder.drainTimeoutMs(drainTimeoutMs);
  }

  void applyTo(Outbox.ConcurrentBuilder<?> builder) {
    applyTo((Outbox.AbstractBuilder<?>) builder);
    builder
        .workerCount(workerCount)
        .maxInFlight(maxInFlight)
        .coldQueueCapacity(queueCapacity)
        .maxQueuedBytes(maxQueuedBytes);
  }

  void applyTo(Outbox.DeliveringBuilder<?> builder) {
    applyTo((Outbox.ConcurrentBuilder<?>) builder);
    if (listenerTimeout != null) {
      builder.listenerTimeout(listenerTimeout);
    }
  }
}
