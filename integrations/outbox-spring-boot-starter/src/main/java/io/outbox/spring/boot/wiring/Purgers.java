package io.outbox.spring.boot.wiring;

import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.purge.MySqlAgeBasedPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.jdbc.purge.PostgresAgeBasedPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.DialectOutboxStore;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.jdbc.store.MySqlOutboxStore;
import io.outbox.jdbc.store.PostgresOutboxStore;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.OutboxProperties.ArchiveTarget;
import io.outbox.spring.boot.OutboxProperties.Mode;

/** Finds the purger that goes with a store. */
public final class Purgers {

  private Purgers() {}

  /** The purger that the properties ask for. */
  public static EventPurger of(OutboxStore store, OutboxProperties properties) {
    boolean byAge = properties.mode() == Mode.WRITER_ONLY;
    OutboxProperties.Archive archive = properties.purge().archive();
    if (archive.to() == ArchiveTarget.NONE) {
      return deleting(store, byAge);
    } else if (byAge) {
      throw new OutboxConfigurationException(
          "The property outbox.purge.archive.to asks for an archive of finished events, but in the"
              + " mode writer-only no event is finished.",
          "Set the property where events are delivered, or remove it.");
    }
    return archiving(store, archive);
  }

  private static EventPurger archiving(OutboxStore store, OutboxProperties.Archive archive) {
    if (!(store instanceof AbstractJdbcOutboxStore jdbc)) {
      throw noPurger(store);
    } else if (store instanceof DialectOutboxStore) {
      throw new OutboxConfigurationException(
          "The property outbox.purge.archive.to asks for an archive, which the dialect of "
              + store
              + " does not offer.",
          "Remove the property: finished events are then deleted.");
    } else if (archive.to() == ArchiveTarget.TABLE) {
      return ArchivingPurger.toTable(jdbc.tableName());
    } else if (archive.directory() == null) {
      throw new OutboxConfigurationException(
          "The property outbox.purge.archive.to is files, but outbox.purge.archive.directory is"
              + " not set.",
          "Set outbox.purge.archive.directory to a directory that survives a restart.");
    }
    try {
      long maxBytes = archive.maxPartSize().toBytes();
      return ArchivingPurger.toFiles(jdbc.tableName(), archive.directory(), maxBytes);
    } catch (IllegalArgumentException e) {
      throw OutboxBuilders.invalid("outbox.purge.archive.max-part-size", e);
    }
  }

  /** {@code byAge}: events end nowhere, as with change data capture. */
  private static EventPurger deleting(OutboxStore store, boolean byAge) {
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
    throw noPurger(store);
  }

  private static OutboxConfigurationException noPurger(OutboxStore store) {
    return new OutboxConfigurationException(
        "The property outbox.purge.enabled is true, but there is no purger for the store "
            + store.getClass().getName()
            + ".",
        "Declare a bean of type io.outbox.spi.EventPurger, or set outbox.purge.enabled=false.");
  }
}
