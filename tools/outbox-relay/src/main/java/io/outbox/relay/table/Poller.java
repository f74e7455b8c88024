package io.outbox.relay.table;

import io.outbox.Outbox;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;

/** The section {@code poller}. Nobody tells a relay of new events, so it looks often. */
record Poller(long intervalMs, int batchSize) {

  static Poller read(Section section) {
    Values values = Values.of(section);
    Poller poller =
        new Poller(
            values.number("interval-ms", 500, 1, 86_400_000),
            values.integer("batch-size", 50, 1, 10_000));
    section.done();
    return poller;
  }

  void applyTo(Outbox.AbstractBuilder<?> builder) {
    builder.intervalMs(intervalMs).batchSize(batchSize);
  }
}
