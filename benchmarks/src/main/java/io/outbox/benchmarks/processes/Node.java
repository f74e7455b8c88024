package io.outbox.benchmarks.processes;

import io.outbox.benchmarks.contestant.Entry;
import io.outbox.testdb.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.BitSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A node in its own JVM, seen from the process that measures. For one thread. */
public final class Node implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 60;

  private final Process process;
  private final PrintStream commands;
  private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private volatile int delivered;

  /**
   * What a node did.
   *
   * @param deliveries how often it called its listener
   * @param numbers the numbers of the events it delivered
   * @param compiledMillis how long its compilers worked since it last said so
   */
  public record Work(int deliveries, BitSet numbers, long compiledMillis) {}

  /** Starts a JVM. */
  public Node(Entry entry, TestDatabase kind, String user, String classPath) throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms256m",
                "-Xmx256m",
                // what an idle node asks, not what its pool does to test connections
                "-Dcom.zaxxer.hikari.aliveBypassWindowMs=3600000",
                "-cp",
                classPath,
                NodeProcess.class.getName(),
                entry.name(),
                kind.name(),
                user)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "answers-of-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(NodeProcess.COUNT)) {
          delivered = Integer.parseInt(line.substring(NodeProcess.COUNT.length()));
        } else {
          answers.add(line);
        }
      }
    } catch (IOException e) {
      // It has ended: whoever waits for an answer will say so.
    }
  }

  /** Connects to a database. */
  public void open(String url) throws InterruptedException {
    delivered = 0;
    commands.println(NodeProcess.OPEN + url);
    answer();
  }

  /** Begins to deliver; does not wait for it. */
  public void go() {
    commands.println(NodeProcess.GO);
  }

  /** After {@link #go}: waits until it delivers. */
  public void awaitStart() throws InterruptedException {
    answer();
  }

  /** After {@link #awaitStart}: ends delivery, and disconnects. */
  public Work stop() throws InterruptedException {
    commands.println(NodeProcess.STOP);
    String[] words = answer().substring(NodeProcess.DELIVERED.length()).split(" ", -1);
    return new Work(
        Integer.parseInt(words[0]),
        BitSet.valueOf(Base64.getDecoder().decode(words[1])),
        Long.parseLong(words[2]));
  }

  private String answer() throws InterruptedException {
    String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (answer == null) {
      throw new IllegalStateException("node " + process.pid() + " does not answer");
    }
    return answer;
  }

  /** How many deliveries it has told of. */
  public int delivered() {
    return delivered;
  }

  public long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    commands.close();
    process.destroyForcibly();
  }
}
