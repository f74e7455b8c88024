package io.outbox.it;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Threads that write events of many keys, some rolled back. Most keys are locked before they are
 * written to, as the documentation demands; some are not, on purpose, and these are written to by
 * several transactions at once. A transaction that fails is followed by the next one.
 */
public final class KeyWriters {

  /** The type of the events. */
  public static final String TYPE = "Tested";

  private static final String LOCKED = "locked-";
  private static final String FREE = "free-";

  /** One key in five. */
  private static final int FREE_SHARE = 5;

  private static final int MAX_BATCH = 3;
  private static final long MAX_OPEN_NANOS = 20_000_000;
  private static final long FAILURE_PAUSE_NANOS = 50_000_000;

  private final JdbcTransactionManager transactions;
  private final OutboxWriter writer;
  private final KeyJournal journal;
  private final int keys;
  private final long maxPauseNanos;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * @param maxPause between two transactions of a thread
   */
  public KeyWriters(
      JdbcTransactionManager transactions,
      OutboxWriter writer,
      KeyJournal journal,
      int keys,
      Duration maxPause) {
    this.transactions = transactions;
    this.writer = writer;
    this.journal = journal;
    this.keys = keys;
    this.maxPauseNanos = maxPause.toNanos();
  }

  /** Creates what writers lock. */
  public static void createLocks(DataSource database, int keys) {
    try (Connection conn = database.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute(
          "CREATE TABLE key_lock (name VARCHAR(100) PRIMARY KEY, uses BIGINT NOT NULL)");
      for (int i = 0; i < keys; i++) {
        statement.execute("INSERT INTO key_lock (name, uses) VALUES ('" + LOCKED + i + "', 0)");
      }
    } catch (SQLException e) {
      throw new IllegalStateException("cannot create the locks of keys", e);
    }
  }

  public void start(int count, long seed) {
    for (int i = 0; i < count && keys > 0; i++) {
      Random random = new Random(seed + i);
      Thread thread = new Thread(() -> run(random), "writer-" + i);
      thread.start();
      threads.add(thread);
    }
  }

  /** Waits until the current transactions have ended. */
  public void stop() throws InterruptedException {
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
      try {
        transaction(events, free ? null : key, random);
        LockSupport.parkNanos((long) (random.nextDouble() * maxPauseNanos));
      } catch (RuntimeException e) {
        System.out.println("a transaction failed: " + e);
        LockSupport.parkNanos(FAILURE_PAUSE_NANOS);
      }
    }
  }

  private static EventEnvelope event(String key) {
    return EventEnvelope.builder(TYPE).orderingKey(key).payloadJson("{}").build();
  }

  /**
   * @param lock null for none
   */
  private void transaction(List<EventEnvelope> events, String lock, Random random) {
    long begun = System.nanoTime();
    Long open = null; // the transaction, until somebody asks for its commit
    try (JdbcTransactionManager.Transaction transaction = transactions.begin()) {
      if (lock != null) {
        lock(transaction, lock);
      }
      List<String> ids = writer.writeAll(events);
      if (lock == null) {
        LockSupport.parkNanos((long) (random.nextDouble() * MAX_OPEN_NANOS));
      }
      open = journal.written(ids, lock != null, begun);
      if (random.nextInt(20) == 0) {
        return; // it is rolled back
      }
      long number = open;
      open = null;
      transaction.commit();
      journal.committed(number);
    } finally {
      if (open != null) {
        journal.rolledBack(open);
      }
    }
  }

  /** By a change, not only a lock: members of a cluster see no locks of each other. */
  private static void lock(JdbcTransactionManager.Transaction transaction, String key) {
    try (PreparedStatement update =
        transaction
            .connection()
            .prepareStatement("UPDATE key_lock SET uses = uses + 1 WHERE name = ?")) {
      update.setString(1, key);
      if (update.executeUpdate() == 0) {
        throw new IllegalStateException("there is no key " + key);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("cannot lock " + key, e);
    }
  }
}
