package io.outbox.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.Database;
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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A JVM with three subscriptions, which may end, as by kill -9, in the middle of an expansion. What
 * it delivers is in a file before the listener returns.
 */
final class SubscribedProcess implements AutoCloseable {

  static final List<String> NAMES = List.of("send-mail", "kafka", "webhook");
  static final String TYPE = "OrderPlaced";

  /** When it ends. */
  enum Death {
    NEVER,
    BEFORE_THE_INSERT,
    BEFORE_THE_COMMIT,
    BEFORE_THE_OUTCOME
  }

  /** The insert that it does not survive: some come before it, some events are left. */
  private static final int DEADLY_INSERT = 2;

  private static final int EXIT = 137;

  private final ChildJvm jvm;
  private final Path file;

  /** Starts a JVM. */
  SubscribedProcess(Database database, Path directory, Duration lease, Death death)
      throws IOException {
    this.file = Files.createTempFile(directory, "delivered", ".txt");
    this.jvm =
        new ChildJvm(
            SubscribedProcess.class,
            Path.of(file + ".log"),
            List.of(
                database.jdbcUrl(),
                database.user(),
                database.password(),
                file.toString(),
                Long.toString(lease.toMillis()),
                death.name()));
  }

  boolean isAlive() {
    return jvm.isAlive();
  }

  void end() throws IOException, InterruptedException {
    jvm.end();
  }

  /** Lines of a subscription and an event's id. */
  List<String> delivered() {
    try {
      return Files.readAllLines(file);
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
    config.setMaximumPoolSize(8);
    try (HikariDataSource pool = new HikariDataSource(config);
        FileChannel file = FileChannel.open(Path.of(args[3]), StandardOpenOption.APPEND)) {
      DefaultListenerRegistry registry = new DefaultListenerRegistry();
      NAMES.forEach(name -> registry.subscribe(TYPE, name, writingTo(file, name)));
      try (Outbox outbox =
          Outbox.multiNode()
              .claimLocking(Duration.ofMillis(Long.parseLong(args[4])))
              .connectionProvider(new DataSourceConnectionProvider(pool))
              .txContext(new ThreadLocalTxContext())
              .outboxStore(deadly(JdbcOutboxStores.detect(pool), Death.valueOf(args[5])))
              .listenerRegistry(registry)
              .intervalMs(50)
              .build()) {
        ChildJvm.awaitEnd();
      }
    }
  }

  /** It writes no events of its own: every insert is one of copies. */
  private static OutboxStore deadly(OutboxStore store, Death death) {
    AtomicInteger inserts = new AtomicInteger();
    Tap<OutboxStore> tap = new Tap<>(OutboxStore.class, store);
    for (String insert : List.of("insertAll", "insertFinished")) {
      tap.on(
          insert,
          call -> {
            boolean deadly = inserts.incrementAndGet() >= DEADLY_INSERT;
            endIf(deadly && death == Death.BEFORE_THE_INSERT);
            Object result = call.proceed();
            endIf(deadly && death == Death.BEFORE_THE_COMMIT);
            return result;
          });
    }
    tap.on(
        "recordOutcomes",
        call -> {
          endIf(inserts.get() >= DEADLY_INSERT && death == Death.BEFORE_THE_OUTCOME);
          return call.proceed();
        });
    return tap.proxy();
  }

  private static void endIf(boolean deadly) {
    if (deadly) {
      Runtime.getRuntime().halt(EXIT);
    }
  }

  private static EventListener writingTo(FileChannel file, String name) {
    return event -> {
      byte[] line = (name + " " + event.eventId() + "\n").getBytes(StandardCharsets.US_ASCII);
      synchronized (file) {
        file.write(ByteBuffer.wrap(line));
      }
      return DispatchResult.done();
    };
  }
}
