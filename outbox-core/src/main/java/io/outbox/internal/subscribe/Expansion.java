package io.outbox.internal.subscribe;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.internal.OwnWork;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.time.EngineThread;
import io.outbox.internal.write.WriteSteps;
import io.outbox.model.EventRoute;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Replaces each event that has subscriptions by its copies: many events in one transaction. Where
 * any event may pass any other, copies are delivered first: most are then written once, as
 * finished. How many events are here is bounded by who calls it. Thread-safe.
 */
final class Expansion implements OwnWork, AsyncEventListener, AutoCloseable {

  /** How many events become copies in one transaction. */
  private static final int BATCH = 100;

  /** So many are not kept waiting. */
  private static final int ENOUGH = BATCH / 2;

  /** For rows that nobody waits for, as for outcomes: a commit costs as much as many rows. */
  private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** For so long copies are delivered without rows: a listener may be slow. */
  private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long LAST_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Another node writes the same copies: this one had the event before, or has it no more. */
  private static final Duration BESIDE_ANOTHER = Duration.ofMillis(500);

  private static final OutageException UNEXPANDED =
      new OutageException("the event could not be expanded");

  private static final String DUPLICATE_KEY = "23505";
  private static final int MYSQL_DUPLICATE_ENTRY = 1062;

  private final CopyWriter copies;
  private final StoredSubscriptions stored;
  private final Supplier<WriteSteps> steps;
  private final ConcurrentLinkedQueue<Expanding> arrived = new ConcurrentLinkedQueue<>();
  private final RepeatedWarning warning = new RepeatedWarning(Expansion.class, Level.WARNING);
  private final EngineThread thread =
      new EngineThread("outbox-expander-", "events cannot be expanded", this::run);

  // for the thread alone
  private final Deque<Expanding> begun = new ArrayDeque<>();
  private int batchLimit = BATCH;
  private long writtenNanos = System.nanoTime() - GAP_NANOS;
  private long pausedUntilNanos = writtenNanos; // the database was away

  private final AtomicInteger endedMeanwhile = new AtomicInteger();
  private volatile boolean gathering; // the thread waits for more than one
  private volatile boolean storesLater;

  Expansion(CopyWriter copies, StoredSubscriptions stored, Supplier<WriteSteps> steps) {
    this.copies = copies;
    this.stored = stored;
    this.steps = steps;
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
    Expanding expanding = new Expanding(event);
    arrived.add(expanding);
    thread.wake();
    if (thread.isClosed()) {
      expanding.answer.completeExceptionally(new OutageException("the outbox has been stopped"));
    }
    return expanding.answer;
  }

  /** From now on; until then events wait. */
  void start() {
    thread.start();
  }

  /** Stores the subscriptions of this node as soon as that is possible. */
  void storeLater() {
    storesLater = true;
  }

  private long run() {
    gathering = false;
    endedMeanwhile.set(0);
    // Those that have arrived are refused, if it is not possible: others may expand them.
    if (storesLater && arrived.isEmpty()) {
      stored.ensure();
      storesLater = false;
    }
    List<Expanding> batch = new ArrayList<>();
    for (Expanding next; batch.size() < BATCH && (next = arrived.poll()) != null; ) {
      batch.add(next);
    }
    if (!batch.isEmpty()) {
      begin(batch);
    }
    long pause = writeDue(System.nanoTime());
    return arrived.isEmpty() ? pause : 0;
  }

  private void begin(List<Expanding> batch) {
    try {
      stored.ensure();
      batch.forEach(one -> one.deliverBy(steps.get().ahead(one.event.eventId())));
      List<EventEnvelope> events = batch.stream().map(one -> one.event).toList();
      CopyWriter.Plan plan = copies.plan(batch);
      if (stored.storeLost(events, plan.expanded())) {
        plan = copies.plan(batch);
      }
      for (Expanding one : batch) {
        EventRoute route = EventRoute.of(one.event);
        // The last subscription may have ended on the way: then it is for this node's listener.
        boolean ours = plan.expanded().contains(route) || stored.hasOwn(route);
        if (thread.isClosed()) {
          one.deliverBy(null); // the next start has another engine
        }
        one.begin(plan.missing().get(one.event), ours, this::oneEnded);
        begun.add(one);
      }
    } catch (Throwable failure) {
      batch.stream().filter(one -> !begun.contains(one)).forEach(one -> refuse(one, failure));
    }
  }

  private void oneEnded() {
    if (!gathering || endedMeanwhile.incrementAndGet() == ENOUGH) {
      thread.wake();
    }
  }

  /** Returns how long there is nothing to do. */
  private long writeDue(long now) {
    if (pausedUntilNanos - now > 0) {
      return pausedUntilNanos - now;
    }
    List<Expanding> due =
        begun.stream()
            .filter(one -> one.hasEnded() || now - one.beganNanos() >= AHEAD_NANOS)
            .limit(batchLimit)
            .toList();
    if (due.isEmpty()) {
      // Those that began first are late first.
      return begun.isEmpty()
          ? Long.MAX_VALUE
          : Math.max(1, begun.getFirst().beganNanos() + AHEAD_NANOS - now);
    }
    long gap = writtenNanos + GAP_NANOS - now;
    if (gap > 0 && due.size() < ENOUGH && due.stream().noneMatch(Expanding::isUrgent)) {
      gathering = true;
      return gap;
    }
    writtenNanos = now;
    try {
      write(due);
    } finally {
      begun.removeIf(Expanding::isOver); // whatever happens, the others are tried again
    }
    return 0;
  }

  private void write(List<Expanding> batch) {
    try {
      copies.write(batch);
      batchLimit = Math.min(BATCH, 2 * batchLimit);
    } catch (Throwable failure) {
      writeAgain(batch, failure);
    }
  }

  /** Copies may be there from an earlier try; and what is wrong may be one event's. */
  private void writeAgain(List<Expanding> batch, Throwable before) {
    boolean again = batch.stream().anyMatch(Expanding::mayBeThere);
    boolean away = isAway(before);
    batch.forEach(one -> one.wasTried(away));
    if (away) {
      waitForDatabase(batch, before);
    } else if (!again) {
      write(batch);
    } else if (batch.size() > 1) {
      batch.forEach(one -> write(List.of(one)));
    } else {
      refuse(batch.get(0), before);
    }
  }

  /** What listeners have done is kept, as outcomes are; all else begins anew. */
  private void waitForDatabase(List<Expanding> batch, Throwable failure) {
    batchLimit = Math.max(1, batchLimit / 2); // it may be too slow for so much
    begun.forEach(one -> one.wasTried(false)); // in a long outage others may have expanded them
    pausedUntilNanos = System.nanoTime() + AGAIN_NANOS;
    batch.stream().filter(one -> !one.isAhead()).forEach(one -> refuse(one, failure));
    warning.log(() -> "copies of events cannot be written; trying again until they can", failure);
  }

  /**
   * If listeners have its copies already, that counts as an attempt: next time its rows are written
   * first.
   */
  private static void refuse(Expanding one, Throwable failure) {
    try {
      String state = sqlState(failure);
      if (state.equals(DUPLICATE_KEY)) {
        one.refused(DispatchResult.retryAfter(BESIDE_ANOTHER));
      } else if (one.isAhead()
          || failure instanceof IllegalArgumentException
          || isOfTheData(state)) {
        one.refused(failure);
      } else {
        one.refused(
            new OutageException(
                "the copies of events for their subscriptions cannot be written", failure));
      }
    } catch (Throwable e) {
      one.refused(UNEXPANDED); // the others are to get their answers, too
    }
  }

  /** One whose cause cannot be told is as good as away. */
  private static boolean isAway(Throwable failure) {
    try {
      return StoreFailures.kindOf(failure) == StoreFailures.Kind.AWAY;
    } catch (RuntimeException e) {
      return true;
    }
  }

  /** The database refuses what the event holds. */
  private static boolean isOfTheData(String state) {
    return state.startsWith("22") || state.startsWith("23");
  }

  private static String sqlState(Throwable failure) {
    SQLException cause = StoreFailures.sqlCauseOf(failure);
    if (cause == null) {
      return "";
    }
    return cause.getErrorCode() == MYSQL_DUPLICATE_ENTRY ? DUPLICATE_KEY : cause.getSQLState();
  }

  @Override
  public String toString() {
    return "subscriptions";
  }

  /** After the engine, which calls it. What listeners have done is written, if that is possible. */
  @Override
  public void close() {
    thread.close(this::writeLast);
    try {
      thread.join(LAST_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void writeLast() {
    List<Expanding> left = begun.stream().filter(Expanding::isAhead).toList();
    try {
      if (!left.isEmpty()) {
        copies.write(left);
      }
    } catch (Throwable e) {
      warning.log(() -> "copies of " + left.size() + " events may be delivered again", e);
    }
  }
}
