package io.outbox.wiring;

import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.partition.PartitionRotation;
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
import io.outbox.wiring.Settings.ArchiveTarget;
import io.outbox.wiring.Settings.Mode;
import java.time.Duration;
import java.util.Objects;

/** Finds the purger that goes with a store. */
public final class Purgers {

  /** That of a {@link PartitionRotation} that is not told another. */
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(200);

  private Purgers() {}

  /**
   * The purger that the settings ask for.
   *
   * @throws OutboxConfigurationException if there is none for the store, or the archive is not as
   *     it should be
   */
  public static EventPurger of(OutboxStore store, Settings settings) {
    Objects.requireNonNull(store, "store");
    boolean byAge = settings.mode() == Mode.WRITER_ONLY;
    if (settings.purge().rotation().enabled()) {
      return rotating(store, settings);
    } else if (settings.purge().archive().to() == ArchiveTarget.NONE) {
      return deleting(store, byAge, settings);
    } else if (byAge) {
      throw new OutboxConfigurationException(
          "The property "
              + settings.name("purge.archive.to")
              + " asks for an archive of finished events, but in the mode writer-only no event is"
              + " finished.",
          "Set the property where events are delivered, or remove it.");
    }
    return archiving(store, settings);
  }

  private static EventPurger rotating(OutboxStore store, Settings settings) {
    if (!(store instanceof PostgresOutboxStore postgres)
        || settings.mode() == Mode.WRITER_ONLY
        || settings.purge().archive().to() != ArchiveTarget.NONE) {
      throw new OutboxConfigurationException(
          "The property "
              + settings.name("purge.rotation.enabled")
              + " is true, but partitions are rotated on PostgreSQL only, not in the mode"
              + " writer-only, and not together with "
              + settings.name("purge.archive.to")
              + ".",
          "Remove the property, or what it does not go with.");
    }
    return rotation(postgres.tableName(), settings);
  }

  /** The purger of a table in partitions by seq. */
  static PartitionRotation rotation(String table, Settings settings) {
    Settings.Rotation from = settings.purge().rotation();
    try {
      return new PartitionRotation(
          table, from.eventsPerPartition(), from.partitionsAhead(), LOCK_TIMEOUT);
    } catch (IllegalArgumentException e) {
      throw Property.invalid(settings.name("purge.rotation"), e);
    }
  }

  private static EventPurger archiving(OutboxStore store, Settings settings) {
    Settings.Archive archive = settings.purge().archive();
    if (!(store instanceof AbstractJdbcOutboxStore jdbc)) {
      throw noPurger(store, settings);
    } else if (store instanceof DialectOutboxStore) {
      throw new OutboxConfigurationException(
          "The property "
              + settings.name("purge.archive.to")
              + " asks for an archive, which the dialect of "
              + store
              + " does not offer.",
          "Remove the property: finished events are then deleted.");
    } else if (archive.to() == ArchiveTarget.TABLE) {
      return ArchivingPurger.toTable(jdbc.tableName());
    } else if (archive.directory() == null) {
      String directory = settings.name("purge.archive.directory");
      throw new OutboxConfigurationException(
          "The property "
              + settings.name("purge.archive.to")
              + " is files, but "
              + directory
              + " is not set.",
          "Set " + directory + " to a directory that survives a restart.");
    }
    try {
      return ArchivingPurger.toFiles(jdbc.tableName(), archive.directory(), archive.maxPartSize());
    } catch (IllegalArgumentException e) {
      throw Property.invalid(settings.name("purge.archive.max-part-size"), e);
    }
  }

  /** {@code byAge}: events end nowhere, as with change data capture. */
  private static EventPurger deleting(OutboxStore store, boolean byAge, Settings settings) {
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
    throw noPurger(store, settings);
  }

  private static OutboxConfigurationException noPurger(OutboxStore store, Settings settings) {
    String enabled = settings.name("purge.enabled");
    return new OutboxConfigurationException(
        "The property "
            + enabled
            + " is true, but there is no purger for the store "
            + store.getClass().getName()
            + ".",
        "Declare a bean of type io.outbox.spi.EventPurger, or set " + enabled + "=false.");
  }
}
