package io.outbox.jdbc.archive;

import io.outbox.jdbc.internal.TableName;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * How the files of an archive are named, so that names sort by time: {@code
 * 2026-03-01/outbox_event-20260301T101502.123456Z-4f1c09aa.jsonl.gz}, all in UTC.
 */
final class PartName {

  static final String END = ".jsonl.gz";

  /** Of a file that is not complete. */
  static final String UNFINISHED = ".tmp";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private PartName() {}

  /** The directory of a day. */
  static Path day(Path directory, Instant at) {
    return directory.resolve(LocalDate.ofInstant(at, ZoneOffset.UTC).toString());
  }

  static String of(TableName table, Instant at, String unique) {
    return table + "-" + TIME.format(at) + "-" + unique + END;
  }

  /** The days of an archive, the newest first. */
  static List<Path> days(Path directory) throws IOException {
    return list(directory, "*", PartName::isDay);
  }

  /** The complete parts of a table on a day, the newest first. */
  static List<Path> parts(Path day, TableName table) throws IOException {
    return list(day, table + "-*" + END, Files::isRegularFile);
  }

  /** The parts of a table on a day that are not complete. */
  static List<Path> unfinished(Path day, TableName table) throws IOException {
    return list(day, table + "-*" + END + UNFINISHED, Files::isRegularFile);
  }

  /** The day and the name: parts of several days may have the same name. Sorts like the parts. */
  static String inArchive(Path part) {
    return part.getParent().getFileName() + "/" + part.getFileName();
  }

  private static boolean isDay(Path path) {
    return Files.isDirectory(path) && dateOf(path) != null;
  }

  /** Null if it is no directory of a day. */
  static LocalDate dateOf(Path day) {
    try {
      return LocalDate.parse(day.getFileName().toString());
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  static List<Path> list(Path directory, String glob, DirectoryStream.Filter<Path> filter)
      throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, glob)) {
      for (Path entry : entries) {
        if (filter.accept(entry)) {
          found.add(entry);
        }
      }
    }
    found.sort(Comparator.comparing((Path path) -> path.getFileName().toString()).reversed());
    return found;
  }
}
