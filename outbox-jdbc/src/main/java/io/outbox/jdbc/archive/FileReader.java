package io.outbox.jdbc.archive;

import io.outbox.jdbc.internal.TableName;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;

/** Reads the files of an archive in the order of their names, and each from its beginning. */
final class FileReader implements ArchiveReader {

  private final Path directory;
  private final TableName table;

  FileReader(Path directory, TableName table) {
    this.directory = directory;
    this.table = table;
  }

  @Override
  public Page read(EventArchive archive, EventFilter filter, String after, int limit) {
    try (FileWalk walk = walk(filter, false).after(after)) {
      return new FilePages(walk, new FilterMatch(filter), false).next(limit);
    }
  }

  @Override
  public Pages forReplay(EventArchive archive, EventFilter filter, String after) {
    return new FileReplay(walk(filter, true), walk(filter, true), filter, after);
  }

  private FileWalk walk(EventFilter filter, boolean oldestFirst) {
    return new FileWalk(directory, table, firstDay(filter), oldestFirst);
  }

  /** An event is archived after it was written; a day more, for clocks that differ. */
  private static LocalDate firstDay(EventFilter filter) {
    return filter
        .createdFrom()
        .map(from -> LocalDate.ofInstant(from, ZoneOffset.UTC).minusDays(1))
        .orElse(null);
  }

  /** The newest day that has the event has its latest life, in whatever part. */
  @Override
  public Optional<OutboxEvent> find(EventArchive archive, String eventId) {
    OutboxEvent latest = null;
    String day = null;
    try (FileWalk walk = walk(EventFilter.ALL, false)) {
      while (walk.next() && (latest == null || walk.day().equals(day))) {
        OutboxEvent event = walk.event(true);
        if (event.eventId().equals(eventId)
            && (latest == null || event.leaseNumber() > latest.leaseNumber())) {
          latest = event;
          day = walk.day();
        }
      }
    }
    return Optional.ofNullable(latest);
  }

  @Override
  public boolean exists(Connection conn) {
    return Files.isDirectory(directory);
  }
}
