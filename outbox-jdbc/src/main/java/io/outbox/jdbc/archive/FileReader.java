package io.outbox.jdbc.archive;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/** Reads the files of an archive in the order of their names, and each from its beginning. */
final class FileReader implements ArchiveReader {

  private static final int SCAN_LIMIT = 20_000;
  private static final int BUFFER = 64 * 1024;

  private final Path directory;
  private final TableName table;

  FileReader(Path directory, TableName table) {
    this.directory = directory;
    this.table = table;
  }

  @Override
  public Page read(Connection conn, EventFilter filter, String after, int limit, boolean payloads) {
    return read(filter, new Scan(filter, after, limit, payloads, false));
  }

  @Override
  public Page readOldestFirst(Connection conn, EventFilter filter, String after, int limit) {
    return read(filter, new Scan(filter, after, limit, true, true));
  }

  private Page read(EventFilter filter, Scan scan) {
    try {
      if (!Files.isDirectory(directory)) {
        throw new NotDirectoryException(directory.toString());
      }
      for (Path day : scan.inOrder(PartName.days(directory))) {
        if (isTooEarly(day, filter)) {
          continue;
        }
        for (Path part : scan.inOrder(PartName.parts(day, table))) {
          if (!scan.goesOnAfter(part)) {
            return scan.page();
          }
        }
      }
    } catch (IOException e) {
      throw new OutboxStoreException("could not read the archive in " + directory + ": " + e, e);
    }
    return scan.page();
  }

  /** Parts are read from the newest to the oldest, so the first one has its latest life. */
  @Override
  public Optional<OutboxEvent> find(Connection conn, String eventId) {
    EventFilter filter = EventFilter.builder().idPrefix(eventId).build();
    String after = null;
    do {
      Page page = read(conn, filter, after, 1, true);
      for (OutboxEvent event : page.events()) {
        if (event.eventId().equals(eventId)) {
          return Optional.of(event);
        }
      }
      after = page.next();
    } while (after != null);
    return Optional.empty();
  }

  @Override
  public boolean exists(Connection conn) {
    return Files.isDirectory(directory);
  }

  /** An event is archived after it was written; a day more, for clocks that differ. */
  private static boolean isTooEarly(Path day, EventFilter filter) {
    return filter
        .createdFrom()
        .map(from -> LocalDate.ofInstant(from, ZoneOffset.UTC).minusDays(1))
        .map(PartName.dateOf(day)::isBefore)
        .orElse(false);
  }

  /** One page as it is read. */
  private final class Scan {
    private final FilterMatch match;
    private final String startPart;
    private final long startLine;
    private final int limit;
    private final boolean payloads;
    private final boolean oldestFirst;
    private final List<OutboxEvent> found = new ArrayList<>();
    private String next;
    private int scanned;
    private boolean limited;

    Scan(EventFilter filter, String after, int limit, boolean payloads, boolean oldestFirst) {
      this.match = new FilterMatch(filter);
      String[] start = after == null ? null : ArchiveReader.placeOf(after);
      this.startPart = start == null ? null : start[0];
      this.startLine = start == null ? 0 : line(after, start[1]);
      this.limit = limit;
      this.payloads = payloads;
      this.oldestFirst = oldestFirst;
    }

    /** Of names with the newest first. */
    List<Path> inOrder(List<Path> paths) {
      List<Path> ordered = new ArrayList<>(paths);
      if (oldestFirst) {
        Collections.reverse(ordered);
      }
      return ordered;
    }

    private static long line(String cursor, String text) {
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException e) {
        throw ArchiveReader.unknown(cursor, e);
      }
    }

    Page page() {
      return new Page(found, next, scanned, limited);
    }

    /** Reads a part; whether there is room for events of another one. */
    boolean goesOnAfter(Path part) throws IOException {
      String name = part.getFileName().toString();
      int order = startPart == null ? -1 : name.compareTo(startPart);
      int before = startPart != null && oldestFirst ? -order : order;
      if (before > 0) {
        return true; // read for an earlier page
      }
      try (BufferedReader lines = open(part)) {
        long number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          number++;
          if (before < 0 || number > startLine) {
            take(part, number, line);
            limited = scanned >= SCAN_LIMIT && found.size() < limit;
            if (found.size() == limit || limited) {
              next = ArchiveReader.cursor(name, Long.toString(number));
              return false;
            }
          }
        }
        return true;
      }
    }

    private void take(Path part, long number, String line) {
      try {
        OutboxEvent event = EventLine.read(line, payloads);
        scanned++;
        if (match.test(event)) {
          found.add(event);
        }
      } catch (IllegalArgumentException e) {
        throw new OutboxStoreException(
            "line " + number + " of " + part + " cannot be read: " + e.getMessage(), e);
      }
    }

    /** One file, or several that were put together: gzip allows it. */
    private BufferedReader open(Path part) throws IOException {
      return new BufferedReader(
          new InputStreamReader(
              new GZIPInputStream(Files.newInputStream(part), BUFFER), StandardCharsets.UTF_8));
    }
  }
}
