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
import io.outbox.model.EventKey;
import io.outbox.testdb.Database;
import io.outbox.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A JVM that delivers events in order by key, and writes some itself, until it is killed. What it
 * does is in its {@link KeyJournal}.
 */
final class OrderedProcess implements JournaledNode, AutoCloseable {

  /** Events of this type are held by their listener until the test says how it is to answer. */
  static final String HELD = "Held";

  static final Duration LEASE = Duration.ofSeconds(4);

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int POOL_SIZE = 10;
  private static final int WRITERS = 3;
  private static final Duration MAX_WRITE_PAUSE = Duration.ofMillis(2);
  private static final int MAX_LISTENER_NANOS = 2_000_000;
  private static final double FAILURES = 0.05;
  private static final String WRITTEN = "it writes no more";

  final String node;
  final Path file;
  private final List<KeyOrder.Pause> pauses = new ArrayList<>();
  private final ChildJvm jvm;
  private Long ended; // nanos; null while it runs
  private long stopped;

  /**
   * Starts a JVM.
   *
   * @param keys of how many keys it writes events; 0 to write none
   */
  OrderedProcess(Database database, Path directory, String node, long seed, int keys)
      throws IOException {
    this.node = node;
    this.file = Files.createFile(directory.resolve(node + ".journal"));
    this.jvm =
        new ChildJvm(
            OrderedProcess.class,
            Path.of(file + ".log"),
            List.of(
                database.jdbcUrl(),
                database.user(),
                database.password(),
                file.toString(),
                node,
                Long.toString(seed),
                Integer.toString(keys)));
  }

  @Override
  public String node() {
    return node;
  }

  @Override
  public KeyJournal.Content journal() {
    return KeyJournal.read(file);
  }

  @Override
  public List<KeyOrder.Pause> pauses() {
    return pauses;
  }

  /** The events that its listener was called with. */
  Set<String> called() {
    return journal().calls().stream().map(KeyJournal.Entry::eventId).collect(Collectors.toSet());
  }

  /** Its listener gives up held events at once, from now on. */
  void giveUpHeld(String reason) throws IOException {
    answer(reason);
  }

  /** Its listener is done with held events at once, from now on. */
  void finishHeld() throws IOException {
    answer("");
  }

  private void answer(String reason) throws IOException {
    Path written = Files.writeString(Path.of(file + ".tmp"), reason);
    Files.move(written, answerTo(file));
  }

  private static Path answerTo(Path file) {
    return Path.of(file + ".answer");
  }

  /** Lets it write no more; returns when all it has written is committed. */
  void stopWriting() throws IOException {
    jvm.tell();
    Await.until("a process to stop writing", PATIENCE, () -> output().contains(WRITTEN));
  }

  boolean isAlive() {
    return jvm.isAlive();
  }

  @Override
  public long endedNanos() {
    return ended == null ? System.nanoTime() : ended;
  }

  void kill() throws InterruptedException {
    jvm.kill();
    ended = System.nanoTime();
  }

  void pause() throws IOException, InterruptedException {
    jvm.pause();
    stopped = System.nanoTime();
  }

  void resume() throws IOException, InterruptedException {
    pauses.add(new KeyOrder.Pause(node, stopped, System.nanoTime()));
    jvm.resume();
  }

  /** Lets it stop writing, close its outbox and end. */
  void end() throws IOException, InterruptedException {
    jvm.end();
    ended = System.nanoTime();
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
    Path file = Path.of(args[3]);
    long seed = Long.parseLong(args[5]);
    try (HikariDataSource pool = new HikariDataSource(config);
        KeyJournal journal = new KeyJournal(file)) {
      ThreadLocalTxContext tx = new ThreadLocalTxContext();
      DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
      LaneTap lanes =
          new LaneTap(JdbcOutboxStores.detect(pool), journal::givenBack, journal::takenOver);
      Random random = new Random(seed);
      try (Outbox outbox =
          Outbox.orderedByKey()
              .node(args[4])
              .laneLease(LEASE)
              .connectionProvider(connections)
              .txContext(tx)
              .outboxStore(lanes.store())
              .listenerRegistry(Scenario.to(listener(file, journal, lanes, random)))
              .workerCount(8)
              .maxAttempts(1000)
              .retryPolicy(attempts -> 20 + random.nextInt(80))
              .intervalMs(500)
              .build()) {
        KeyWriters writers =
            new KeyWriters(
                new JdbcTransactionManager(connections, tx),
                outbox.writer(),
                journal,
                Integer.parseInt(args[6]),
                MAX_WRITE_PAUSE);
        writers.start(WRITERS, seed);
        ChildJvm.awaitWord();
        writers.stop();
        System.out.println(WRITTEN);
        ChildJvm.awaitEnd();
      }
    }
  }

  private static EventListener listener(
      Path file, KeyJournal journal, LaneTap lanes, Random random) {
    return event -> {
      long call = journal.called(event.eventId(), lanes.epoch(EventKey.of(event).lane()));
      boolean done = false;
      try {
        DispatchResult result = event.eventType().equals(HELD) ? hold(file) : work(random);
        done = result instanceof DispatchResult.Done;
        return result;
      } finally {
        journal.returned(call, done);
      }
    };
  }

  private static DispatchResult work(Random random) throws InterruptedException {
    LockSupport.parkNanos(random.nextInt(MAX_LISTENER_NANOS));
    if (Thread.interrupted()) {
      throw new InterruptedException("its lane is lost");
    }
    if (random.nextDouble() < FAILURES) {
      throw new IllegalStateException("one in twenty");
    }
    return DispatchResult.done();
  }

  /** No interrupt ends it. */
  private static DispatchResult hold(Path file) throws IOException {
    while (!Files.exists(answerTo(file))) {
      LockSupport.parkNanos(1_000_000);
      Thread.interrupted();
    }
    String reason = Files.readString(answerTo(file));
    return reason.isEmpty() ? DispatchResult.done() : DispatchResult.dead(reason);
  }
}
