package io.outbox.it;

import io.outbox.spi.lanes.Lane;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a process wrote and delivered, line by line in a file: each line is with the kernel, which a
 * kill does not take it back from, before the process goes on. Thread-safe.
 */
public final class KeyJournal implements AutoCloseable {

  /**
   * A transaction.
   *
   * @param committed null if it was rolled back, or the process did not get to know
   * @param rolledBack whether it surely was: nobody asked for its commit
   */
  public record Transaction(
      List<String> eventIds, boolean locked, long begun, Long committed, boolean rolledBack) {}

  /** A call of a listener; {@code end} is null if the process did not come back from it. */
  public record Entry(
      String eventId, String thread, long epoch, long start, Long end, boolean succeeded) {}

  /** All that is in a file. */
  public record Content(
      List<Transaction> transactions,
      List<Entry> calls,
      List<Lane> givenBack,
      List<Lane> takenOver) {}

  private final FileOutputStream file; // no interrupt closes it, as it would a channel
  private final AtomicLong numbers = new AtomicLong();

  public KeyJournal(Path path) throws IOException {
    this.file = new FileOutputStream(path.toFile(), true);
  }

  /** Returns the number of the call, for its end. */
  public long called(String eventId, long epoch) {
    long number = numbers.incrementAndGet();
    String thread = Thread.currentThread().getName();
    line("call", number, eventId, thread, epoch, System.nanoTime());
    return number;
  }

  public void returned(long number, boolean succeeded) {
    line("end", number, succeeded, System.nanoTime());
  }

  /** To be called before the commit; returns the number of the transaction. */
  public long written(List<String> eventIds, boolean locked, long begunNanos) {
    long number = numbers.incrementAndGet();
    line("write", number, String.join(",", eventIds), locked, begunNanos);
    return number;
  }

  public void committed(long number) {
    line("commit", number, System.nanoTime());
  }

  /** Of a transaction whose commit was never asked for. */
  public void rolledBack(long number) {
    line("rollback", number);
  }

  public void givenBack(Lane lane) {
    line("return", lane.number(), lane.epoch());
  }

  /** A lane that its owner had not given back. */
  public void takenOver(Lane lane) {
    line("takeover", lane.number(), lane.epoch());
  }

  private void line(Object... words) {
    List<String> texts = new ArrayList<>();
    for (Object word : words) {
      texts.add(word.toString());
    }
    byte[] bytes = (String.join(" ", texts) + "\n").getBytes(StandardCharsets.US_ASCII);
    synchronized (file) {
      try {
        file.write(bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  // ---- in the test

  public static Content read(Path path) {
    Map<String, String[]> starts = new HashMap<>();
    Map<String, String[]> writes = new HashMap<>();
    Content content =
        new Content(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (String line : lines(path)) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "call" -> starts.put(words[1], words);
        case "end" -> {
          boolean succeeded = Boolean.parseBoolean(words[2]);
          content.calls.add(call(starts.remove(words[1]), Long.valueOf(words[3]), succeeded));
        }
        case "write" -> writes.put(words[1], words);
        case "commit" ->
            content.transactions.add(
                transaction(writes.remove(words[1]), Long.valueOf(words[2]), false));
        case "rollback" ->
            content.transactions.add(transaction(writes.remove(words[1]), null, true));
        case "return" -> content.givenBack.add(lane(words));
        case "takeover" -> content.takenOver.add(lane(words));
        default -> throw new IllegalStateException(line);
      }
    }
    starts.values().forEach(start -> content.calls.add(call(start, null, false)));
    writes.values().forEach(write -> content.transactions.add(transaction(write, null, false)));
    return content;
  }

  private static Lane lane(String[] words) {
    return new Lane(Integer.parseInt(words[1]), Long.parseLong(words[2]));
  }

  private static Entry call(String[] start, Long end, boolean succeeded) {
    return new Entry(
        start[2], start[3], Long.parseLong(start[4]), Long.parseLong(start[5]), end, succeeded);
  }

  private static Transaction transaction(String[] write, Long committed, boolean rolledBack) {
    return new Transaction(
        List.of(write[2].split(",")),
        Boolean.parseBoolean(write[3]),
        Long.parseLong(write[4]),
        committed,
        rolledBack);
  }

  /** Without one that a kill cut off. */
  private static List<String> lines(Path path) {
    try {
      String text = Files.readString(path, StandardCharsets.US_ASCII);
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
