package io.outbox.testdb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Where a server keeps its data and log. The name of the directory tells which JVM owns it: what a
 * killed JVM left is swept by the next one, servers included.
 */
final class ServerDirectory {
  private static final AtomicInteger COUNTER = new AtomicInteger();
  private static final Duration START_TOLERANCE = Duration.ofSeconds(10);

  private final Path path;

  private ServerDirectory(Path path) {
    this.path = path;
  }

  static ServerDirectory create(TestDatabase kind) throws IOException {
    Path servers = home().resolve("servers");
    Files.createDirectories(servers);
    sweep(servers);
    ProcessHandle jvm = ProcessHandle.current();
    String name =
        "%s-%d-%d-%d"
            .formatted(
                kind.name().toLowerCase(Locale.ROOT),
                COUNTER.incrementAndGet(),
                jvm.pid(),
                jvm.info().startInstant().orElse(Instant.EPOCH).toEpochMilli());
    return new ServerDirectory(Files.createDirectory(servers.resolve(name)));
  }

  /** Where everything of this user is, readable by nobody else: we run programs from there. */
  static Path home() throws IOException {
    Path home =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "outbox-test-databases-" + System.getProperty("user.name"));
    if (!Files.isDirectory(home)) {
      Files.createDirectories(
          home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    Path probe = Files.createTempFile(home, "owner", null);
    try {
      if (!Files.getOwner(home).equals(Files.getOwner(probe))) {
        throw new IOException(home + " belongs to somebody else");
      }
    } finally {
      Files.delete(probe);
    }
    return home;
  }

  Path data() {
    return path.resolve("data");
  }

  Path temporary() throws IOException {
    return Files.createDirectories(path.resolve("tmp"));
  }

  Path log() {
    return path.resolve("log");
  }

  String logTail() {
    try {
      List<String> lines = Files.exists(log()) ? Files.readAllLines(log()) : List.of();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    } catch (IOException e) {
      return "(unreadable: " + e + ")";
    }
  }

  /** Kills what runs on our data, with its children, and returns when all are gone. */
  void killServers() {
    List<ProcessHandle> servers =
        servers().flatMap(s -> Stream.concat(Stream.of(s), s.descendants())).toList();
    servers.forEach(ProcessHandle::destroyForcibly);
    awaitEnd(servers, Duration.ofMinutes(1));
  }

  void delete() {
    try (Stream<Path> files = Files.walk(path)) {
      files.sorted(Comparator.reverseOrder()).forEach(ServerDirectory::delete);
    } catch (IOException | UncheckedIOException e) {
      // another JVM sweeps it too, or will do so later
    }
  }

  private Stream<ProcessHandle> servers() {
    Path programs = path.getParent().resolveSibling(Binaries.DIRECTORY);
    return ProcessHandle.allProcesses()
        .filter(p -> p.info().command().orElse("").startsWith(programs.toString()))
        .filter(p -> p.info().commandLine().orElse("").contains(data().toString()));
  }

  /** A process without a command has ended, though its parent may not have taken notice yet. */
  private static void awaitEnd(List<ProcessHandle> processes, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (processes.stream().anyMatch(p -> p.isAlive() && p.info().command().isPresent())
        && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void sweep(Path servers) throws IOException {
    try (Stream<Path> directories = Files.list(servers)) {
      directories
          .filter(ServerDirectory::isAbandoned)
          .map(ServerDirectory::new)
          .forEach(ServerDirectory::sweep);
    }
  }

  /** Gently at first: a killed PostgreSQL would leave its shared memory behind. */
  private void sweep() {
    List<ProcessHandle> orphans = servers().toList();
    orphans.forEach(ProcessHandle::destroy);
    awaitEnd(orphans, Duration.ofSeconds(5));
    killServers();
    delete();
  }

  private static boolean isAbandoned(Path directory) {
    String[] name = directory.getFileName().toString().split("-");
    Instant ownerStart = Instant.ofEpochMilli(Long.parseLong(name[3]));
    return ProcessHandle.of(Long.parseLong(name[2]))
        .filter(ProcessHandle::isAlive)
        .flatMap(owner -> owner.info().startInstant())
        .filter(start -> Duration.between(ownerStart, start).abs().compareTo(START_TOLERANCE) < 0)
        .isEmpty();
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
