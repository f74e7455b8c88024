package io.outbox.it;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Another JVM with the classes of this one, which ends when its standard input does. */
public final class ChildJvm implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Process process;
  private final Path log;

  /** Starts it; what it prints goes to {@code log}. */
  public ChildJvm(Class<?> main, Path log, List<String> arguments) throws IOException {
    this(main, log, arguments, Map.of());
  }

  /**
   * Starts it with additional variables of the environment; {@code CLASSPATH} says where its
   * classes are, if not where those of this JVM are.
   */
  public ChildJvm(Class<?> main, Path log, List<String> arguments, Map<String, String> environment)
      throws IOException {
    this.log = log;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx200m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    String classPath = environment.getOrDefault("CLASSPATH", System.getProperty("java.class.path"));
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    this.process = builder.start();
  }

  /**
   * The class path of this JVM with outbox-core and outbox-jdbc of another version, which is built
   * in a directory.
   */
  public static String classPathWith(Path version) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> entryOf(version, entry))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String entryOf(Path version, String entry) {
    for (String module : List.of("outbox-core", "outbox-jdbc")) {
      if (entry.contains("/" + module + "/target/")) {
        return version.resolve(Path.of(module, "target", "classes")).toString();
      }
    }
    return entry;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** As {@code kill -9} does. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops it in the middle of whatever it does, as a long pause of a virtual machine would. */
  public void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  public void resume() throws IOException, InterruptedException {
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
  public void tell() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Lets it end by itself. */
  public void end() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new AssertionError("a process did not end by itself:\n" + output());
    }
  }

  public String output() {
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
  public static void awaitWord() throws IOException {
    System.in.read();
  }

  /** Waits until the parent closes the stream, or dies. */
  public static void awaitEnd() throws IOException {
    while (System.in.read() >= 0) {
      // whatever it may be
    }
  }
}
