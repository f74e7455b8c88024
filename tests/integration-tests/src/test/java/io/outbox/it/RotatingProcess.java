package io.outbox.it;

import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.testdb.Database;
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

/** A JVM that drops a partition, and waits in the middle of it to be killed. */
final class RotatingProcess implements AutoCloseable {

  private static final String HALTED = "halted in the middle of a rotation";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Before which statement it halts. */
  enum Point {
    /** The old partition and the kept one are no part of the table. */
    INSERT,
    /** Waiting events were copied, and are in no part of the table. */
    ATTACH,
    /** Waiting events are in the table, and in the old partition. */
    DROP,
    /** All is done, and nothing is committed. */
    COMMIT
  }

  private final ChildJvm jvm;

  RotatingProcess(Database database, Path directory, Point halt) throws IOException {
    this.jvm =
        new ChildJvm(
            RotatingProcess.class,
            Files.createTempFile(directory, "rotating", ".log"),
            List.of(database.jdbcUrl(), database.user(), database.password(), halt.name()));
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

  // ---- in the other JVM

  public static void main(String[] args) throws Exception {
    PartitionRotation rotation =
        new PartitionRotation("outbox_event", 1_000, 3, Duration.ofSeconds(30));
    try (Connection conn = DriverManager.getConnection(args[0], args[1], args[2])) {
      rotation.ensureAhead(conn);
      boolean dropped =
          rotation.rotate(halting(conn, Point.valueOf(args[3])), Instant.now().plusSeconds(3600));
      System.out.println("it did not halt, and dropped a partition: " + dropped);
    }
  }

  private static Connection halting(Connection conn, Point point) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean prepares = method.getName().equals("prepareStatement");
              String sql = prepares ? arguments[0].toString() : method.getName();
              if (point == Point.COMMIT
                  ? sql.equals("commit")
                  : prepares && sql.matches("(?s)(ALTER TABLE outbox_event )?" + point + " .*")) {
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
