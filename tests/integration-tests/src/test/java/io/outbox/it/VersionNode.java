package io.outbox.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A node of {@link PreviousVersionTest}: writes until it is told to stop, delivers until it is told
 * to end. Uses only what the earlier version has, too.
 */
final class VersionNode {

  /** After so many events it says that it has written. */
  static final int ENOUGH = 100;

  private static final int KEYS = 20;
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final long PACE = TimeUnit.MILLISECONDS.toNanos(5);

  private VersionNode() {}

  public static void main(String[] args) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(8);
    String name = args[5];
    Path calls = Files.createFile(Path.of(args[4], name + ".calls"));
    System.out.println(
        "classes of "
            + Path.of(Outbox.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    try (HikariDataSource pool = new HikariDataSource(config)) {
      ThreadLocalTxContext tx = new ThreadLocalTxContext();
      DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
      Outbox.AbstractBuilder<?> builder =
          args[3].equals("multiNode")
              ? Outbox.multiNode().claimLocking(LEASE)
              : Outbox.orderedByKey().laneLease(LEASE);
      try (Outbox outbox =
          builder
              .connectionProvider(connections)
              .txContext(tx)
              .outboxStore(JdbcOutboxStores.detect(pool))
              .listenerRegistry(new DefaultListenerRegistry().registerDefault(writingTo(calls)))
              .intervalMs(100)
              .build()) {
        JdbcTransactionManager transactions = new JdbcTransactionManager(connections, tx);
        AtomicBoolean stopped = new AtomicBoolean();
        Thread writing = new Thread(() -> write(name, transactions, outbox.writer(), stopped::get));
        writing.start();
        ChildJvm.awaitWord();
        stopped.set(true);
        writing.join();
        System.out.println("stopped");
        ChildJvm.awaitEnd();
      }
    }
  }

  private static void write(
      String name, JdbcTransactionManager transactions, OutboxWriter writer, BooleanSupplier end) {
    for (int i = 0; !end.getAsBoolean(); i++) {
      EventEnvelope event =
          EventEnvelope.builder("Mixed")
              .orderingKey("key " + i % KEYS)
              .payloadJson("\"" + name + "," + "key " + i % KEYS + "," + i + "\"")
              .build();
      Deadlocks.retried(
          () -> {
            transactions.run(transaction -> writer.write(event));
            return null;
          });
      if (i == ENOUGH) {
        System.out.println("written");
      }
      LockSupport.parkNanos(PACE);
    }
  }

  private static EventListener writingTo(Path calls) {
    return event -> {
      String line =
          event.payloadJson().replace("\"", "")
              + ","
              + event.eventId()
              + ","
              + System.nanoTime()
              + "\n";
      synchronized (calls) {
        Files.writeString(calls, line, StandardOpenOption.APPEND);
      }
      return DispatchResult.done();
    };
  }
}
