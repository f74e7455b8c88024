package io.outbox.cli.archive;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.spi.ConnectionProvider;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where the archive is. */
final class ArchivePlace {

  @Option(
      names = "--files",
      paramLabel = "DIRECTORY",
      description = "Read the archive in these files. Default: the archive table.")
  private Path files;

  EventArchive open(OutboxSession session) {
    ConnectionProvider connections = new DataSourceConnectionProvider(session.dataSource());
    AbstractJdbcOutboxStore store = session.store();
    return files == null
        ? EventArchive.ofTable(connections, store)
        : EventArchive.ofFiles(connections, store, files);
  }
}
