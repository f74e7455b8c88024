package io.outbox.micronaut;

import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.purge.MySqlAgeBasedPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.jdbc.purge.PostgresAgeBasedPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.jdbc.store.DialectOutboxStore;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.jdbc.store.MySqlOutboxStore;
import io.outbox.jdbc.store.PostgresOutboxStore;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;

/** Finds the purger that goes with a store. */
final class Purgers {

  private Purgers() {}

  /** {@code byAge}: events end nowhere, as with change data capture. */
  static EventPurger of(OutboxStore store, boolean byAge) {
    if (store instanceof H2OutboxStore h2) {
      return byAge ? new H2AgeBasedPurger(h2.tableName()) : new H2EventPurger(h2.tableName());
    }
    if (store instanceof PostgresOutboxStore postgres) {
      return byAge
          ? new PostgresAgeBasedPurger(postgres.tableName())
          : new PostgresEventPurger(postgres.tableName());
    }
    if (store instanceof MySqlOutboxStore mySql) {
      return byAge
          ? new MySqlAgeBasedPurger(mySql.tableName())
          : new MySqlEventPurger(mySql.tableName());
    }
    if (store instanceof DialectOutboxStore other) {
      return byAge ? other.ageBasedPurger() : other.purger();
    }
    throw Problem.of(
        "The property outbox.purge.enabled is true, but there is no purger for the store "
            + store.getClass().getName()
            + ".",
        "Declare a bean of type io.outbox.spi.EventPurger, or set outbox.purge.enabled=false.");
  }
}
