package io.outbox.jdbc.archive;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.OutboxEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** The lines of one part, which may be several files put together: gzip allows it. */
final class PartLines implements AutoCloseable {

  private static final int BUFFER = 64 * 1024;

  private final Path part;
  private final BufferedReader lines;
  private long number;
  private String line;

  PartLines(Path part) {
    this.part = part;
    try {
      this.lines = open(part);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static BufferedReader open(Path part) throws IOException {
    InputStream file = Files.newInputStream(part);
    try {
      return new BufferedReader(
          new InputStreamReader(new GZIPInputStream(file, BUFFER), StandardCharsets.UTF_8));
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  private OutboxStoreException unreadable(IOException e) {
    return new OutboxStoreException(
        "could not read " + part + ", line " + (number + 1) + ": " + e + "; is it damaged?", e);
  }

  /** Goes on to the next line; false at the end. */
  boolean next() {
    try {
      line = lines.readLine();
      number++;
      return line != null;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Day and name. */
  String name() {
    return PartName.inArchive(part);
  }

  /** Of the line; the first is 1. */
  long number() {
    return number;
  }

  String line() {
    return line;
  }

  OutboxEvent event(boolean payload) {
    try {
      return EventLine.read(line, payload);
    } catch (IllegalArgumentException e) {
      throw new OutboxStoreException(
          "line " + number + " of " + part + " cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      lines.close();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }
}
