package io.outbox.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM with the classes of this one, which ends when its standard input does. */
final class ChildJvm implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Process process;
  private final Path log;

  /** Starts it; what it prints goes to {@code log}. */
  ChildJvm(Class<?> main, Path log, List<String> arguments) throws IOException {
    this.log = log;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx200m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    this.process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** As {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops it in the middle of whatever it does, as a long pause of a virtual machine would. */
  void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    int exit =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    if (exit != 0) {
      throw new AssertionError("kill -" + signal + " failed: " + exit);
    }
  }

  /** Lets {@link #awaitWord()} return. */
  void tell() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Lets it end by itself. */
  void end() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new AssertionError("a process did not end by itself:\n" + output());
    }
  }

  String output() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  // ---- in the other JVM

  /** Waits until the parent tells something, or closes the stream, or dies. */
  static void awaitWord() throws IOException {
    System.in.read();
  }

  /** Waits until the parent closes the stream, or dies. */
  static void awaitEnd() throws IOException {
    while (System.in.read() >= 0) {
      // whatever it may be
    }
  }
}
