package io.outbox.testbrokers;

import io.outbox.testdb.Ports;
import io.outbox.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A server on a free port, with its own directory. It ends with this JVM, even if that is killed:
 * its guard reads from a pipe that only this JVM keeps open.
 */
final class ServerProcess {

  private static final Duration START = Duration.ofMinutes(3);
  private static final long STOP_SECONDS = 15;
  private static final int LOG_LINES = 40;

  /** Arguments: what to run after the server has ended, then the server. */
  private static final String GUARD =
      """
      after=$1
      shift
      exec 3<&0
      "$@" </dev/null &
      server=$!
      (cat <&3 >/dev/null; kill $server 2>/dev/null) &
      wait $server
      eval "$after"
      """;

  private final String name;
  private final Path directory;
  private final int port = Ports.unused();
  private Process process;

  private ServerProcess(String name, Path directory) {
    this.name = name;
    this.directory = directory;
  }

  static ServerProcess prepare(String name) {
    try {
      return new ServerProcess(name, Files.createTempDirectory("outbox-test-" + name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path directory() {
    return directory;
  }

  int port() {
    return port;
  }

  /**
   * Starts the server and returns when it takes connections.
   *
   * @param after a line for the shell, to tidy up when the server has ended
   */
  void start(List<String> command, Map<String, String> environment, String after) {
    List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "guard", after));
    guarded.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(guarded)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log().toFile());
    builder.environment().putAll(environment);
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop-" + name));
    try {
      process = builder.start();
      Await.until(name + " on port " + port, START, () -> !process.isAlive() || answers());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (AssertionError e) {
      throw failure("it does not answer within " + START);
    }
    if (!process.isAlive()) {
      throw failure("it ended at once");
    }
  }

  private boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Kills the server as {@code kill -9} does; it can be started again on its directory. */
  void kill() {
    List<ProcessHandle> all = process.descendants().toList();
    all.forEach(ProcessHandle::destroyForcibly);
    Await.until(name + " to end", START, () -> all.stream().noneMatch(ProcessHandle::isAlive));
    try {
      process.getOutputStream().close();
      process.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (IOException e) {
      // the guard has gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void stop() {
    if (process != null) {
      List<ProcessHandle> all = process.descendants().toList();
      try {
        process.getOutputStream().close();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
          all.forEach(ProcessHandle::destroyForcibly);
        }
      } catch (IOException e) {
        all.forEach(ProcessHandle::destroyForcibly);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    delete(directory);
  }

  private IllegalStateException failure(String what) {
    return new IllegalStateException(
        "Cannot start %s on port %d: %s. The last lines of its log:%n%s"
            .formatted(name, port, what, logTail()));
  }

  private Path log() {
    return directory.resolve("server.log");
  }

  private String logTail() {
    try {
      List<String> lines = Files.readAllLines(log());
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    } catch (IOException e) {
      return "(unreadable: " + e + ")";
    }
  }

  static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(file -> file.delete());
    } catch (IOException | UncheckedIOException e) {
      System.err.println("cannot delete " + directory + ": " + e);
    }
  }
}
