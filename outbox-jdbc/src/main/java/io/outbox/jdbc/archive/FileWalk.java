package io.outbox.jdbc.archive;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.OutboxEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/**
 * Goes along the lines of an archive's files, in the order of their names, and in each from its
 * beginning. Not thread-safe.
 */
final class FileWalk implements AutoCloseable {

  private final Path directory;
  private final TableName table;
  private final boolean oldestFirst;
  private final Iterator<Path> days;
  private String startPart; // null: from the beginning
  private long startLine;
  private String lastPart; // null: to the end
  private Iterator<Path> parts = Collections.emptyIterator();
  private PartLines lines; // null: no part is open

  /**
   * @param firstDay null for all days
   */
  FileWalk(Path directory, TableName table, LocalDate firstDay, boolean oldestFirst) {
    this.directory = directory;
    this.table = table;
    this.oldestFirst = oldestFirst;
    try {
      if (!Files.isDirectory(directory)) {
        throw new NotDirectoryException(directory.toString());
      }
      this.days =
          inOrder(PartName.days(directory)).stream()
              .filter(day -> firstDay == null || !PartName.dateOf(day).isBefore(firstDay))
              .iterator();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private OutboxStoreException unreadable(IOException e) {
    return new OutboxStoreException("could not read the archive in " + directory + ": " + e, e);
  }

  /** Of names with the newest first. */
  private List<Path> inOrder(List<Path> paths) {
    List<Path> ordered = new ArrayList<>(paths);
    if (oldestFirst) {
      Collections.reverse(ordered);
    }
    return ordered;
  }

  /**
   * Begins behind a {@link #place()}; null for the beginning.
   *
   * @throws IllegalArgumentException if it is not one
   */
  FileWalk after(String place) {
    if (place != null) {
      String[] start = ArchiveReader.placeOf(place);
      startPart = start[0];
      try {
        startLine = Long.parseLong(start[1]);
      } catch (NumberFormatException e) {
        throw ArchiveReader.unknown(place, e);
      }
    }
    return this;
  }

  /** Ends with this part. */
  FileWalk until(String part) {
    lastPart = part;
    return this;
  }

  /** Goes on to the next line; false at the end. */
  boolean next() {
    while (lines != null || open()) {
      if (lines.next()) {
        return true;
      }
      close();
    }
    return false;
  }

  private boolean open() {
    for (Path part = nextPart(); part != null; part = nextPart()) {
      String name = PartName.inArchive(part);
      if (lastPart != null && order(name, lastPart) > 0) {
        return false;
      }
      int order = startPart == null ? 1 : order(name, startPart);
      if (order >= 0) {
        lines = new PartLines(part);
        boolean skips = order == 0;
        for (long line = 0; skips && line < startLine; line++) {
          skips = lines.next();
        }
        return true;
      }
    }
    return false;
  }

  private int order(String part, String other) {
    return oldestFirst ? part.compareTo(other) : other.compareTo(part);
  }

  /** Null if there is none. */
  private Path nextPart() {
    try {
      while (!parts.hasNext() && days.hasNext()) {
        parts = inOrder(PartName.parts(days.next(), table)).iterator();
      }
      return parts.hasNext() ? parts.next() : null;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  String line() {
    return lines.line();
  }

  /** Of the line. */
  OutboxEvent event(boolean payload) {
    return lines.event(payload);
  }

  /** Day and name of the part that the line is in. */
  String part() {
    return lines.name();
  }

  String day() {
    return part().substring(0, part().indexOf('/'));
  }

  /** Where the line is, for a walk in the same direction. */
  String place() {
    return ArchiveReader.cursor(lines.name(), Long.toString(lines.number()));
  }

  @Override
  public void close() {
    if (lines != null) {
      PartLines open = lines;
      lines = null;
      open.close();
    }
  }
}
