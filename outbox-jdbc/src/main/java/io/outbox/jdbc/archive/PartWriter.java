package io.outbox.jdbc.archive;

import io.outbox.jdbc.internal.TableName;
import io.outbox.util.PrintableLogger;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;

/**
 * Writes lines to the files of an archive. A file gets its name when it is complete and on the
 * disk: a reader who sees it can read it to its end. Thread-safe; each batch has its own files.
 */
final class PartWriter {

  private static final Logger LOG = PrintableLogger.of(PartWriter.class);

  static final long MAX_BYTES = 64L * 1024 * 1024;

  private static final int BUFFER = 64 * 1024;

  /** What a process left behind that died while it wrote. */
  private static final Duration ABANDONED = Duration.ofDays(1);

  private final Path directory;
  private final TableName table;
  private final long maxBytes;
  private volatile Path today; // the directory that is there

  PartWriter(Path directory, TableName table, long maxBytes) {
    this.directory = directory.toAbsolutePath();
    this.table = table;
    this.maxBytes = maxBytes;
  }

  Path directory() {
    return directory;
  }

  Batch begin(Instant at) throws IOException {
    Path day = PartName.day(directory, at);
    if (!day.equals(today) || !Files.isDirectory(day)) {
      create(day);
      for (Path each : PartName.days(directory)) {
        removeAbandoned(each, at);
      }
      today = day;
    }
    return new Batch(day, at);
  }

  /** Another process may have created it, and not be sure of it yet. */
  private void create(Path day) throws IOException {
    List<Path> parents = new ArrayList<>(List.of(directory));
    for (Path path = directory; !Files.isDirectory(path); path = path.getParent()) {
      parents.add(path.getParent());
    }
    Files.createDirectories(day);
    for (Path parent : parents) {
      sync(parent);
    }
  }

  /** Never fails: leftovers are no reason to stop the purge. */
  void removeAbandoned(Path day, Instant now) {
    FileTime before = FileTime.from(now.minus(ABANDONED));
    try {
      for (Path file : PartName.unfinished(day, table)) {
        if (Files.getLastModifiedTime(file).compareTo(before) < 0) {
          Files.deleteIfExists(file);
        }
      }
    } catch (NoSuchFileException e) {
      // Another process has finished it, or somebody has removed the day.
    } catch (IOException | DirectoryIteratorException | SecurityException e) {
      LOG.log(
          Level.WARNING,
          () -> "could not remove unfinished files in " + day + "; the purge continues: " + e);
    }
  }

  /** Makes names in a directory last. Some systems cannot open one, and have no need to. */
  private static void sync(Path directory) throws IOException {
    if (Files.getFileStore(directory).supportsFileAttributeView("posix")) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  /** The events of one batch of a purge. Not thread-safe. */
  final class Batch implements AutoCloseable {
    private final Path day;
    private final Instant at;
    private final String unique = UUID.randomUUID().toString().substring(0, 8);
    private int number;
    private Part part; // null: none is open

    private Batch(Path day, Instant at) {
      this.day = day;
      this.at = at;
    }

    void write(String line) throws IOException {
      if (part == null) {
        String name = unique + String.format(Locale.ROOT, "-%04d", ++number);
        part = new Part(day.resolve(PartName.of(table, at, name)));
      }
      part.write(line);
      if (part.size() >= maxBytes) {
        finish();
      }
    }

    /** From now on what was written lasts. */
    void finish() throws IOException {
      if (part != null) {
        Part complete = part;
        part = null;
        complete.finish();
        sync(day);
      }
    }

    /** Forgets what is not finished. */
    @Override
    public void close() throws IOException {
      if (part != null) {
        part.abandon();
      }
    }
  }

  /** One file. */
  private static final class Part {
    private final Path file;
    private final Path unfinished;
    private final FileChannel channel;
    private final OutputStream lines;

    Part(Path file) throws IOException {
      this.file = file;
      this.unfinished = file.resolveSibling(file.getFileName() + PartName.UNFINISHED);
      this.channel =
          FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      OutputStream buffer = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER);
      this.lines = new GZIPOutputStream(buffer, BUFFER);
    }

    void write(String line) throws IOException {
      lines.write(line.getBytes(StandardCharsets.UTF_8));
      lines.write('\n');
    }

    /** How large it is, up to what is still in buffers. */
    long size() throws IOException {
      return channel.position();
    }

    void finish() throws IOException {
      try {
        ((GZIPOutputStream) lines).finish();
        lines.flush();
        channel.force(true);
      } catch (IOException e) {
        abandon();
        throw e;
      }
      lines.close();
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    void abandon() throws IOException {
      channel.close();
      Files.deleteIfExists(unfinished);
    }
  }
}
