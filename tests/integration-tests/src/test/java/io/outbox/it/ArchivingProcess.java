package io.outbox.it;

import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.testing.Await;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A JVM that archives finished events until it comes to a point where it waits to be killed. */
final class ArchivingProcess implements AutoCloseable {

  static final int BATCH = 50;

  private static final int BATCHES_BEFORE = 2;
  private static final String HALTED = "halted in the middle of a batch";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Where in a batch it halts. */
  enum Point {
    /** The archive has the events, the table still has them, too. */
    DELETE,
    /** The events are deleted, and nothing is committed. */
    COMMIT
  }

  private final ChildJvm jvm;

  /**
   * Starts a JVM.
   *
   * @param files the directory of the archive; null for a table
   */
  ArchivingProcess(String url, String user, String password, Path directory, Path files, Point halt)
      throws IOException {
    this.jvm =
        new ChildJvm(
            ArchivingProcess.class,
            Files.createTempFile(directory, "archiving", ".log"),
            List.of(url, user, password, files == null ? "" : files.toString(), halt.name()));
  }

  /** Kills it when it has halted. */
  void killInTheMiddle() throws InterruptedException {
    Await.until(
        "a process to halt", PATIENCE, () -> jvm.output().contains(HALTED) || !jvm.isAlive());
    if (!jvm.isAlive()) {
      throw new AssertionError("a process ended too early:\n" + jvm.output());
    }
    jvm.kill();
  }

  @Override
  public void close() {
    jvm.close();
  }

  static ArchivingPurger purger(Path files) {
    return files == null
        ? ArchivingPurger.toTable("outbox_event")
        : ArchivingPurger.toFiles("outbox_event", files);
  }

  // ---- in the other JVM

  public static void main(String[] args) throws Exception {
    ArchivingPurger purger = purger(args[3].isEmpty() ? null : Path.of(args[3]));
    Instant before = Instant.now().plusSeconds(3600);
    try (Connection conn = DriverManager.getConnection(args[0], args[1], args[2])) {
      for (int i = 0; i < BATCHES_BEFORE; i++) {
        purger.purge(conn, before, BATCH);
      }
      purger.purge(halting(conn, Point.valueOf(args[4])), before, BATCH);
      System.out.println("it did not halt");
    }
  }

  private static Connection halting(Connection conn, Point point) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean deletes =
                  method.getName().equals("prepareStatement")
                      && arguments[0].toString().startsWith("DELETE")
                      && arguments[0].toString().matches("(?s).* outbox_event .*");
              if (point == Point.DELETE ? deletes : method.getName().equals("commit")) {
                System.out.println(HALTED);
                ChildJvm.awaitEnd();
              }
              try {
                return method.invoke(conn, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
