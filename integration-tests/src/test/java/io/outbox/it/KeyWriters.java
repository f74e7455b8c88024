package io.outbox.it;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Threads that write events of many keys, some rolled back. Most keys are locked before they are
 * written to, as the documentation demands; some are not, on purpose, and these are written to by
 * several transactions at once.
 */
final class KeyWriters {

  private static final String LOCKED = "locked-";
  private static final String FREE = "free-";

  /** One key in five. */
  private static final int FREE_SHARE = 5;

  private static final int MAX_BATCH = 3;
  private static final long MAX_PAUSE_NANOS = 2_000_000;
  private static final long MAX_OPEN_NANOS = 20_000_000;

  private final JdbcTransactionManager transactions;
  private final OutboxWriter writer;
  private final KeyJournal journal;
  private final int keys;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  KeyWriters(
      JdbcTransactionManager transactions, OutboxWriter writer, KeyJournal journal, int keys) {
    this.transactions = transactions;
    this.writer = writer;
    this.journal = journal;
    this.keys = keys;
  }

  /** Creates what writers lock. */
  static void createLocks(Scenario scenario, int keys) {
    scenario.update("CREATE TABLE key_lock (name VARCHAR(100) PRIMARY KEY)");
    for (int i = 0; i < keys; i++) {
      scenario.update("INSERT INTO key_lock (name) VALUES (?)", LOCKED + i);
    }
  }

  void start(int count, long seed) {
    for (int i = 0; i < count && keys > 0; i++) {
      Random random = new Random(seed + i);
      Thread thread = new Thread(() -> run(random), "writer-" + i);
      thread.start();
      threads.add(thread);
    }
  }

  /** Waits until the current transactions have ended. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void run(Random random) {
    while (!stopped) {
      boolean free = random.nextInt(FREE_SHARE) == 0;
      int count = free ? keys / FREE_SHARE : keys - keys / FREE_SHARE;
      // The first ones are hot.
      String key = (free ? FREE : LOCKED) + (int) (count * Math.pow(random.nextDouble(), 3));
      List<EventEnvelope> events =
          IntStream.range(0, 1 + random.nextInt(MAX_BATCH)).mapToObj(i -> event(key)).toList();
      transaction(events, free ? null : key, random);
      LockSupport.parkNanos((long) (random.nextDouble() * MAX_PAUSE_NANOS));
    }
  }

  private static EventEnvelope event(String key) {
    return EventEnvelope.builder(Scenario.TYPE).orderingKey(key).payloadJson("{}").build();
  }

  /**
   * @param lock null for none
   */
  private void transaction(List<EventEnvelope> events, String lock, Random random) {
    long begun = System.nanoTime();
    try (JdbcTransactionManager.Transaction transaction = transactions.begin()) {
      if (lock != null) {
        lock(transaction, lock);
      }
      List<String> ids = writer.writeAll(events);
      if (lock == null) {
        LockSupport.parkNanos((long) (random.nextDouble() * MAX_OPEN_NANOS));
      }
      long number = journal.written(ids, lock != null, begun);
      if (random.nextInt(20) == 0) {
        return; // it is rolled back
      }
      transaction.commit();
      journal.committed(number);
    }
  }

  private static void lock(JdbcTransactionManager.Transaction transaction, String key) {
    try (PreparedStatement select =
        transaction
            .connection()
            .prepareStatement("SELECT name FROM key_lock WHERE name = ? FOR UPDATE")) {
      select.setString(1, key);
      if (!select.executeQuery().next()) {
        throw new IllegalStateException("there is no key " + key);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("cannot lock " + key, e);
    }
  }
}
