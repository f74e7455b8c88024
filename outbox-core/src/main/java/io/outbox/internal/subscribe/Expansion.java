package io.outbox.internal.subscribe;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.internal.OwnWork;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.store.StoreFailures;
import io.outbox.model.EventRoute;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Replaces each event that has subscriptions by its copies: many events in one transaction, as many
 * as have come since the last one. How many wait is bounded by who calls it. Thread-safe.
 */
final class Expansion implements OwnWork, AsyncEventListener, AutoCloseable {

  /** How many events become copies in one transaction. */
  private static final int BATCH = 100;

  private static final long AGAIN_MILLIS = 1_000;

  /** Another node writes the same copies: this one had the event before, or has it no more. */
  private static final Duration BESIDE_ANOTHER = Duration.ofMillis(500);

  private static final String DUPLICATE_KEY = "23505";
  private static final int MYSQL_DUPLICATE_ENTRY = 1062;

  private record Waiting(EventEnvelope event, CompletableFuture<DispatchResult> answer) {}

  private final CopyWriter copies;
  private final StoredSubscriptions stored;
  private final ConcurrentLinkedQueue<Waiting> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-expander-"));
  private final RepeatedWarning warning = new RepeatedWarning(Expansion.class, Level.WARNING);
  private boolean started; // under the lock of this

  Expansion(CopyWriter copies, StoredSubscriptions stored) {
    this.copies = copies;
    this.stored = stored;
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
    CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
    queue.add(new Waiting(event, answer));
    if (queued.getAndIncrement() == 0) {
      work();
    }
    return answer;
  }

  /** From now on; until then events wait. */
  synchronized void start() {
    started = true;
    if (queued.get() > 0) {
      work();
    }
  }

  private synchronized void work() {
    if (!started) {
      return;
    }
    try {
      thread.execute(this::expandAll);
    } catch (RejectedExecutionException e) {
      refuseAll(e);
    }
  }

  /** Stores the subscriptions of this node as soon as that is possible. */
  void storeLater() {
    thread.schedule(
        () -> {
          try {
            stored.ensure();
          } catch (RuntimeException e) {
            warning.log(() -> "subscriptions are not stored; trying again", e);
            storeLater();
          }
        },
        AGAIN_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  /** Until nothing waits. */
  private void expandAll() {
    int taken;
    do {
      List<Waiting> batch = new ArrayList<>();
      for (Waiting next; batch.size() < BATCH && (next = queue.poll()) != null; ) {
        batch.add(next);
      }
      taken = batch.size();
      if (taken > 0) {
        expand(batch);
      }
    } while (queued.addAndGet(-taken) > 0);
  }

  private void expand(List<Waiting> batch) {
    try {
      stored.ensure();
      write(batch, false);
    } catch (Throwable first) {
      expandAgain(batch, first);
    }
  }

  /** Copies may be there from an earlier try; and what is wrong may be one event's. */
  private void expandAgain(List<Waiting> batch, Throwable before) {
    if (StoreFailures.kindOf(before) == StoreFailures.Kind.AWAY) {
      fail(batch, before);
      return;
    }
    try {
      stored.ensure();
      write(batch, true);
    } catch (Throwable failure) {
      if (batch.size() == 1) {
        fail(batch, failure);
      } else {
        batch.forEach(one -> expandAgain(List.of(one), failure));
      }
    }
  }

  private void write(List<Waiting> batch, boolean looks) {
    List<EventEnvelope> events = batch.stream().map(Waiting::event).toList();
    Set<EventRoute> expanded = copies.write(events, looks);
    if (stored.storeLost(events, expanded)) {
      expanded = copies.write(events, true);
    }
    for (Waiting one : batch) {
      EventRoute route = EventRoute.of(one.event());
      // The last subscription may have ended on the way: then it is for this node's listener.
      boolean ours = expanded.contains(route) || stored.hasOwn(route);
      one.answer().complete(ours ? DispatchResult.done() : OwnWork.FOR_ANOTHER);
    }
  }

  private static void fail(List<Waiting> batch, Throwable failure) {
    String state = sqlState(failure);
    for (Waiting one : batch) {
      if (state.equals(DUPLICATE_KEY)) {
        one.answer().complete(DispatchResult.retryAfter(BESIDE_ANOTHER));
      } else if (failure instanceof IllegalArgumentException || isOfTheData(state)) {
        one.answer().completeExceptionally(failure);
      } else {
        one.answer()
            .completeExceptionally(
                new OutageException(
                    "the copies of events for their subscriptions cannot be written", failure));
      }
    }
  }

  /** The database refuses what the event holds. */
  private static boolean isOfTheData(String state) {
    return state.startsWith("22") || state.startsWith("23");
  }

  private static String sqlState(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        return sql.getErrorCode() == MYSQL_DUPLICATE_ENTRY ? DUPLICATE_KEY : sql.getSQLState();
      }
    }
    return "";
  }

  private void refuseAll(Throwable reason) {
    for (Waiting next; (next = queue.poll()) != null; ) {
      queued.decrementAndGet();
      next.answer()
          .completeExceptionally(new OutageException("the outbox has been stopped", reason));
    }
  }

  @Override
  public String toString() {
    return "subscriptions";
  }

  /** After the engine, which calls it. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
