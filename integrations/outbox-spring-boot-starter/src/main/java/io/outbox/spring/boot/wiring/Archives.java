package io.outbox.spring.boot.wiring;

import io.outbox.jdbc.archive.EventArchive;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.spring.boot.OutboxProperties;
import java.util.Optional;

/** Finds the archive that the purge writes. */
public final class Archives {

  private Archives() {}

  /** The archive that the properties name; empty if there is none. */
  public static Optional<EventArchive> of(
      ConnectionProvider connections, OutboxStore store, OutboxProperties properties) {
    OutboxProperties.Archive archive = properties.purge().archive();
    if (!(store instanceof AbstractJdbcOutboxStore)) {
      return Optional.empty();
    }
    return switch (archive.to()) {
      case NONE -> Optional.empty();
      case TABLE -> Optional.of(EventArchive.ofTable(connections, store));
      case FILES ->
          Optional.ofNullable(archive.directory())
              .map(directory -> EventArchive.ofFiles(connections, store, directory));
    };
  }
}
