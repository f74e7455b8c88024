package io.outbox.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.Database;
import io.outbox.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A JVM that delivers events, and writes some itself, until it is killed. What it delivers is in a
 * file before the listener returns; what the kernel has, a kill does not take back.
 */
final class DeliveringProcess implements AutoCloseable {

  private static final int ID_LENGTH = 26;
  private static final int LINE_LENGTH = ID_LENGTH + 1;
  private static final int POOL_SIZE = 8;
  private static final int LISTENER_MICROS = 1000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String WRITTEN = "all its events are written";

  private final ChildJvm jvm;
  private final Path file;

  /**
   * Starts a JVM.
   *
   * @param lease zero for {@code singleNode()}
   * @param writes how many events it writes itself
   */
  DeliveringProcess(Database database, Path directory, Duration lease, int writes)
      throws IOException {
    this.file = Files.createTempFile(directory, "delivered", ".txt");
    this.jvm =
        new ChildJvm(
            DeliveringProcess.class,
            Path.of(file + ".log"),
            List.of(
                database.jdbcUrl(),
                database.user(),
                database.password(),
                file.toString(),
                Long.toString(lease.toMillis()),
                Integer.toString(writes)));
  }

  /** How many deliveries have begun. */
  int deliveries() {
    return (int) (file.toFile().length() / LINE_LENGTH);
  }

  /** Waits until it has written its events. */
  void awaitWritten() {
    Await.until("a process to write its events", PATIENCE, () -> output().contains(WRITTEN));
  }

  boolean isAlive() {
    return jvm.isAlive();
  }

  void kill() throws InterruptedException {
    jvm.kill();
  }

  void pause() throws IOException, InterruptedException {
    jvm.pause();
  }

  void resume() throws IOException, InterruptedException {
    jvm.resume();
  }

  /** Lets it close its outbox and end. */
  void end() throws IOException, InterruptedException {
    jvm.end();
  }

  List<String> delivered() {
    try {
      return Files.readAllLines(file).stream().filter(id -> id.length() == ID_LENGTH).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String output() {
    return jvm.output();
  }

  @Override
  public void close() {
    jvm.close();
  }

  // ---- in the other JVM

  public static void main(String[] args) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(POOL_SIZE);
    long leaseMillis = Long.parseLong(args[4]);
    try (HikariDataSource pool = new HikariDataSource(config);
        FileChannel file = FileChannel.open(Path.of(args[3]), StandardOpenOption.APPEND)) {
      ThreadLocalTxContext tx = new ThreadLocalTxContext();
      DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
      Outbox.DeliveringBuilder<?> builder =
          leaseMillis == 0
              ? Outbox.singleNode()
              : Outbox.multiNode().claimLocking(Duration.ofMillis(leaseMillis));
      try (Outbox outbox =
          builder
              .connectionProvider(connections)
              .txContext(tx)
              .outboxStore(JdbcOutboxStores.detect(pool))
              .listenerRegistry(new DefaultListenerRegistry().registerDefault(writingTo(file)))
              .intervalMs(100)
              .build()) {
        write(new JdbcTransactionManager(connections, tx), outbox, Integer.parseInt(args[5]));
        System.out.println(WRITTEN);
        ChildJvm.awaitEnd();
      }
    }
  }

  private static EventListener writingTo(FileChannel file) {
    return event -> {
      ByteBuffer line =
          ByteBuffer.wrap((event.eventId() + "\n").getBytes(StandardCharsets.US_ASCII));
      synchronized (file) {
        file.write(line);
      }
      LockSupport.parkNanos(LISTENER_MICROS * 1000L);
      return DispatchResult.done();
    };
  }

  private static void write(JdbcTransactionManager transactions, Outbox outbox, int count) {
    for (int i = 0; i < count; ) {
      int batch = Math.min(1 + i % 5, count - i);
      Deadlocks.retried(
          () -> {
            transactions.run(transaction -> outbox.writer().writeAll(Scenario.events(batch)));
            return null;
          });
      i += batch;
    }
  }
}
