package io.outbox.relay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A relay in a process of its own. */
final class RelayProcess implements AutoCloseable {

  private static final String MONITORING = "health and metrics at ";

  private final Process process;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final Thread reader = new Thread(this::read, "relay-log");

  private RelayProcess(Process process) {
    this.process = process;
    reader.setDaemon(true);
    reader.start();
  }

  static RelayProcess start(Path config) throws IOException {
    return start(config, Map.of());
  }

  static RelayProcess start(Path config, Map<String, String> environment) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                RelayMain.class.getName(),
                config.toString())
            .redirectErrorStream(true);
    builder.environment().putAll(environment);
    return new RelayProcess(builder.start());
  }

  private void read() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      reader.lines().forEach(log::add);
    } catch (UncheckedIOException | IOException e) {
      log.add("(no more of it: " + e + ")");
    }
  }

  List<String> log() {
    return List.copyOf(log);
  }

  /** When it is up. */
  Monitor monitor() {
    await(() -> address().isPresent() || !process.isAlive());
    return new Monitor(address().orElseThrow(() -> new AssertionError("it ended: " + log)));
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
  }

  private Optional<String> address() {
    return log.stream()
        .filter(line -> line.contains(MONITORING))
        .map(line -> line.substring(line.indexOf(MONITORING) + MONITORING.length()).strip())
        .findFirst();
  }

  /** As kill -9 does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** As SIGTERM does; returns the exit code. */
  int terminate(Duration bound) throws InterruptedException {
    process.toHandle().destroy(); // the process itself would close its streams
    return exitCode(bound);
  }

  int exitCode(Duration bound) throws InterruptedException {
    if (!process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("it has not ended within " + bound + ": " + log);
    }
    reader.join(bound.toMillis());
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
