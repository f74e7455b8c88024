package io.outbox.faults.node;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.faults.server.KafkaServer;
import io.outbox.faults.server.RabbitMqServer;
import io.outbox.it.ChildJvm;
import io.outbox.it.KeyJournal;
import io.outbox.it.KeyWriters;
import io.outbox.it.LaneTap;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventKey;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongFunction;

/**
 * The process of a node: an application that writes events, some of them rolled back, and delivers
 * them to a listener that fails now and then. All it does is in its journal.
 */
public final class NodeMain {

  public static final String WRITTEN = "it writes no more";

  private static final Duration MAX_START = Duration.ofMinutes(1);
  private static final int WRITERS = 2;
  private static final int WORKERS = 4;
  private static final int ENGINE_POOL = 8;
  private static final long POOL_PATIENCE_MS = 3_000;
  private static final Duration MAX_WRITE_PAUSE = Duration.ofMillis(80);
  private static final int MAX_LISTENER_MILLIS = 4;
  private static final double FAILURES = 0.02;

  private NodeMain() {}

  public static void main(String[] args) throws Exception {
    NodeSettings settings = NodeSettings.parse(args);
    long giveUp = System.nanoTime() + MAX_START.toNanos();
    AtomicBoolean begun = new AtomicBoolean();
    while (true) {
      try {
        run(settings, begun);
        return;
      } catch (Exception e) {
        // Its database may be the one that fails now. Somebody would start it again.
        if (begun.get() || System.nanoTime() - giveUp > 0) {
          throw e;
        }
        System.out.println("it cannot start yet: " + e);
        Thread.sleep(200);
      }
    }
  }

  private static void run(NodeSettings settings, AtomicBoolean begun) throws Exception {
    Random random = new Random(Long.parseLong(settings.get("seed")));
    // An application bounds its own calls. The engine is to do without such help.
    try (HikariDataSource business = pool(settings, settings.get("businessUrl"), WRITERS + 1);
        HikariDataSource engine = pool(settings, settings.get("url"), ENGINE_POOL);
        KeyJournal journal = new KeyJournal(Path.of(settings.get("journal")))) {
      ThreadLocalTxContext tx = new ThreadLocalTxContext();
      try (Outbox outbox =
          builder(settings, JdbcOutboxStores.detect(engine), journal, random)
              .connectionProvider(new DataSourceConnectionProvider(engine))
              .txContext(tx)
              .workerCount(WORKERS)
              .maxAttempts(1000)
              .retryPolicy(attempts -> 20 + random.nextInt(80))
              .build()) {
        KeyWriters writers =
            new KeyWriters(
                new JdbcTransactionManager(new DataSourceConnectionProvider(business), tx),
                outbox.writer(),
                journal,
                Integer.parseInt(settings.get("keys")),
                MAX_WRITE_PAUSE);
        begun.set(true);
        writers.start(WRITERS, random.nextLong());
        ChildJvm.awaitWord();
        writers.stop();
        System.out.println(WRITTEN);
        ChildJvm.awaitEnd();
      }
    }
  }

  private static HikariDataSource pool(NodeSettings settings, String url, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(settings.get("user"));
    config.setPassword(settings.get("password"));
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(POOL_PATIENCE_MS);
    config.setAutoCommit(Boolean.parseBoolean(settings.get("autoCommit", "true")));
    String isolation = settings.get("isolation", "");
    if (!isolation.isEmpty()) {
      config.setTransactionIsolation(isolation);
    }
    return new HikariDataSource(config);
  }

  private static Outbox.ConcurrentBuilder<?> builder(
      NodeSettings settings, OutboxStore store, KeyJournal journal, Random random) {
    if (settings.mode() == Mode.MULTI_NODE) {
      return Outbox.multiNode()
          .claimLocking(NodeSettings.LEASE)
          .outboxStore(store)
          .listenerRegistry(to(listener(settings, journal, key -> 0, random)));
    }
    Outbox.OrderedByKeyBuilder builder =
        Outbox.orderedByKey().node(settings.get("node")).laneLease(NodeSettings.LEASE);
    if (!Boolean.parseBoolean(settings.get("epochs", "true"))) {
      return builder
          .outboxStore(store)
          .listenerRegistry(to(listener(settings, journal, key -> 0, random)));
    }
    LaneTap lanes = new LaneTap(store, journal::givenBack, journal::takenOver);
    return builder
        .outboxStore(lanes.store())
        .listenerRegistry(to(listener(settings, journal, key -> lanes.epoch(key.lane()), random)));
  }

  private static DefaultListenerRegistry to(EventListener listener) {
    return new DefaultListenerRegistry().registerDefault(listener);
  }

  private static EventListener listener(
      NodeSettings settings, KeyJournal journal, ToLongFunction<EventKey> epoch, Random random) {
    JournaledListener journaled = new JournaledListener(journal, epoch);
    return switch (settings.get("broker", "")) {
      case "kafka" -> journaled.ofPublisher(KafkaServer.publisher(settings));
      case "rabbitmq" -> journaled.ofPublisher(RabbitMqServer.publisher(settings));
      default -> journaled.of(event -> work(random));
    };
  }

  private static DispatchResult work(Random random) throws InterruptedException {
    Thread.sleep(random.nextInt(MAX_LISTENER_MILLIS));
    if (random.nextDouble() < FAILURES) {
      throw new IllegalStateException("one in fifty");
    }
    return DispatchResult.done();
  }
}
