package io.outbox.it;

import io.outbox.EventEnvelope;
import io.outbox.it.Ledger.Fate;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Threads that write events in transactions of every shape: one event or many, by one call or
 * several, some rolled back, some rolled back to a savepoint, some failing.
 */
final class Writers implements AutoCloseable {

  private static final int MAX_CALLS = 4;
  private static final int MAX_BATCH = 12;

  private final Ledger ledger;
  private final long seed;
  private final Consumer<RuntimeException> onFailure;
  private final AtomicInteger threads = new AtomicInteger();
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final List<Future<?>> running = new ArrayList<>();
  private volatile boolean stopped;

  /** No transaction may fail, but by a deadlock. */
  Writers(Ledger ledger, long seed) {
    this(
        ledger,
        seed,
        failure -> {
          throw failure;
        });
  }

  /** Calls {@code onFailure} with each transaction's failure, and goes on. */
  Writers(Ledger ledger, long seed, Consumer<RuntimeException> onFailure) {
    this.ledger = ledger;
    this.seed = seed;
    this.onFailure = onFailure;
  }

  /** Starts {@code count} threads which together commit about {@code events} events. */
  Writers start(Node node, int count, int events) {
    return start(node, count, events, Duration.ZERO);
  }

  /** As {@link #start}, with transactions that stay open for {@code open} after the last write. */
  Writers start(Node node, int count, int events, Duration open) {
    for (int i = 0; i < count; i++) {
      Random random = new Random(seed + threads.incrementAndGet());
      int share = events / count;
      running.add(
          executor.submit(
              () -> {
                for (int done = 0; done < share && !stopped; ) {
                  done += transaction(node, random, share - done, open);
                }
              }));
    }
    return this;
  }

  /** Lets the threads end after their current transactions. */
  void stop() {
    stopped = true;
  }

  void join() throws InterruptedException {
    try {
      for (Future<?> thread : running) {
        thread.get(5, TimeUnit.MINUTES);
      }
    } catch (ExecutionException e) {
      throw new AssertionError("a writer failed; seed " + seed, e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("a writer is stuck; seed " + seed, e);
    }
  }

  /** Returns how many events were committed, or may have been, or would have taken too long. */
  private int transaction(Node node, Random random, int max, Duration open) {
    List<EventEnvelope> kept = new ArrayList<>();
    List<EventEnvelope> undone = new ArrayList<>();
    boolean commit = random.nextInt(10) != 0;
    Fate fate = Fate.ROLLED_BACK;
    try (JdbcTransactionManager.Transaction transaction = node.begin()) {
      int calls = 1 + random.nextInt(MAX_CALLS);
      // A transaction that stays open is to be worth it.
      int atLeast = open.isZero() ? 0 : Math.min(max, MAX_BATCH);
      for (int i = 0; kept.size() < max && (i < calls || kept.size() < atLeast); i++) {
        // After a rollback to a savepoint MySQL has other writers wait until the transaction ends.
        boolean undo = open.isZero() && random.nextInt(10) == 0;
        write(node, random, transaction, max, undo, kept, undone);
      }
      stayOpen(open);
      if (commit) {
        fate = Fate.UNKNOWN;
        transaction.commit();
        fate = Fate.COMMITTED;
      } else {
        transaction.rollback();
      }
    } catch (RuntimeException e) {
      // MySQL reports one to writers that go back to a savepoint now and then.
      if (fate != Fate.ROLLED_BACK || !Deadlocks.isDeadlock(e)) {
        onFailure.accept(e);
      }
    } finally {
      ledger.end(kept, fate);
      ledger.end(undone, Fate.ROLLED_BACK);
    }
    return fate == Fate.ROLLED_BACK && open.isZero() ? 0 : kept.size();
  }

  private void write(
      Node node,
      Random random,
      JdbcTransactionManager.Transaction transaction,
      int max,
      boolean undo,
      List<EventEnvelope> kept,
      List<EventEnvelope> undone) {
    List<EventEnvelope> batch =
        events(random.nextBoolean() ? 1 : 1 + random.nextInt(MAX_BATCH), max - kept.size());
    if (undo) {
      undone.addAll(batch);
      JdbcTransactionManager.Savepoint savepoint = transaction.savepoint();
      node.writer().writeAll(batch);
      transaction.rollbackTo(savepoint);
    } else {
      kept.addAll(batch);
      writeAll(node, batch);
    }
  }

  private static void writeAll(Node node, List<EventEnvelope> batch) {
    if (batch.size() == 1) {
      node.writer().write(batch.get(0));
    } else {
      node.writer().writeAll(batch);
    }
  }

  private List<EventEnvelope> events(int count, int max) {
    List<EventEnvelope> events = Scenario.events(Math.min(count, max));
    events.forEach(ledger::open);
    return events;
  }

  private static void stayOpen(Duration open) {
    long end = System.nanoTime() + open.toNanos();
    for (long left = open.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void close() {
    stop();
    executor.shutdownNow();
  }
}
