package io.outbox.relay.table;

import io.outbox.Outbox;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.jdbc.store.PostgresOutboxStore;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import io.outbox.spi.EventPurger;
import java.time.Duration;

/** The section {@code purge}. */
record Purge(boolean enabled, Duration retention, int batchSize, long intervalSeconds) {

  static Purge read(Section section) {
    Values values = Values.of(section);
    Purge purge =
        new Purge(
            values.flag("enabled", false),
            values.duration("retention", Duration.ofDays(7), Duration.ZERO),
            values.integer("batch-size", 500, 1, 100_000),
            values.number("interval-seconds", 3600, 1, Integer.MAX_VALUE));
    section.done();
    return purge;
  }

  void applyTo(Outbox.AbstractBuilder<?> builder, AbstractJdbcOutboxStore store) {
    if (enabled) {
      builder
          .purger(purger(store))
          .purgeRetention(retention)
          .purgeBatchSize(batchSize)
          .purgeIntervalSeconds(intervalSeconds);
    }
  }

  private static EventPurger purger(AbstractJdbcOutboxStore store) {
    if (store instanceof H2OutboxStore) {
      return new H2EventPurger(store.tableName());
    }
    return store instanceof PostgresOutboxStore
        ? new PostgresEventPurger(store.tableName())
        : new MySqlEventPurger(store.tableName());
  }
}
