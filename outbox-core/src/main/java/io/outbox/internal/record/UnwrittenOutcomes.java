package io.outbox.internal.record;

import io.outbox.internal.Guard;
import io.outbox.internal.queue.Delivery;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/**
 * The outcomes that wait to be written: bounded, workers wait for room. While the database is away
 * nothing is handed out until the pause is over, or until somebody has seen that it is back.
 * Thread-safe, for one taker, and another for what gathers meanwhile.
 */
public final class UnwrittenOutcomes<D extends Delivery> {

  private static final int MAX_BATCH = 1000;

  /** So many are worth a commit beside that which is under way. */
  private static final int MANY = MAX_BATCH / 2;

  /**
   * Commits need not come faster: each costs the disk and the database as much as many outcomes do.
   * After a pause the first outcome is handed out at once.
   */
  private static final long MIN_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final int max;
  private final long maxBytes;
  private final long minPauseNanos;
  private final long maxPauseNanos;
  private final Guard lock = new Guard();
  private final Condition work = lock.newCondition();
  private final Condition many = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final ArrayDeque<UnwrittenOutcome<D>> fresh = new ArrayDeque<>();
  private final ArrayList<UnwrittenOutcome<D>> again = new ArrayList<>(); // not before their time
  private int taken; // by both takers
  private long lastTakenNanos = System.nanoTime() - MIN_GAP_NANOS;
  private boolean gathering; // the taker waits for more than one
  private long bytes; // of all that is here or taken
  private boolean closing;
  private boolean ended;
  private long closeByNanos;
  private volatile boolean away;
  private long awaySinceNanos; // the last failure
  private long pausedUntilNanos;
  private long pauseNanos;
  private int batchLimit = MAX_BATCH;

  UnwrittenOutcomes(int max, long maxBytes, long minPauseNanos, long maxPauseNanos) {
    this.max = max;
    this.maxBytes = maxBytes;
    this.minPauseNanos = minPauseNanos;
    this.maxPauseNanos = maxPauseNanos;
    this.pauseNanos = minPauseNanos;
  }

  /** Waits for room; false if nobody takes outcomes any more. */
  boolean add(UnwrittenOutcome<D> outcome) {
    try (Guard guard = lock.lock()) {
      while (!closing && isFull()) {
        room.awaitUninterruptibly();
      }
      return addLocked(outcome);
    }
  }

  /** As {@link #add}, without waiting: for those who have waited in {@link #awaitRoom}. */
  boolean addAtOnce(UnwrittenOutcome<D> outcome) {
    try (Guard guard = lock.lock()) {
      return addLocked(outcome);
    }
  }

  /** Waits until outcomes are taken without waiting. */
  public void awaitRoom() throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
      while (!closing && isFull()) {
        room.await();
      }
    }
  }

  private boolean addLocked(UnwrittenOutcome<D> outcome) {
    bytes += outcome.delivery.bytes();
    if (ended) {
      return false;
    }
    fresh.add(outcome);
    if (!gathering || isEnough()) {
      work.signal();
    }
    if (areManyBeside()) {
      many.signal();
    }
    return true;
  }

  private boolean isFull() {
    return count() >= max || bytes >= maxBytes;
  }

  int size() {
    try (Guard guard = lock.lock()) {
      return count();
    }
  }

  /** Of all that is not written; for tests. */
  long bytes() {
    try (Guard guard = lock.lock()) {
      return bytes;
    }
  }

  private int count() {
    return fresh.size() + again.size() + taken;
  }

  /** Waits for outcomes; null when it is time to end. */
  List<UnwrittenOutcome<D>> take() throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
      while (true) {
        long now = System.nanoTime();
        if (closing && (count() == 0 || now - closeByNanos >= 0)) {
          ended = true;
          return null;
        }
        long gap = lastTakenNanos + MIN_GAP_NANOS - now;
        if (gap > 0 && !closing && !isEnough()) {
          gather(gap);
          continue;
        }
        List<UnwrittenOutcome<D>> batch = collect(now);
        if (!batch.isEmpty()) {
          lastTakenNanos = now;
          if (areManyBeside()) {
            many.signal();
          }
          return batch;
        }
        long nanos = nanosUntilNext(now);
        if (nanos == Long.MAX_VALUE) {
          work.await();
        } else {
          work.awaitNanos(nanos);
        }
      }
    }
  }

  /**
   * For the other taker: waits until many have gathered behind a batch that is being written; null
   * when it is time to end. What is put back is left to the first one then.
   */
  List<UnwrittenOutcome<D>> takeBeside() throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
      while (!closing) {
        if (areManyBeside()) {
          return collect(System.nanoTime());
        }
        many.await();
      }
      return null;
    }
  }

  /** Not while the database may have trouble: two sessions would wait for it then. */
  private boolean areManyBeside() {
    return taken > 0 && fresh.size() >= MANY && !away && batchLimit == MAX_BATCH;
  }

  private void gather(long nanos) throws InterruptedException {
    gathering = true;
    try {
      work.awaitNanos(nanos);
    } finally {
      gathering = false;
    }
  }

  /** So many are not kept waiting. */
  private boolean isEnough() {
    return fresh.size() >= Math.min(MAX_BATCH, max) / 2 || bytes >= maxBytes / 2;
  }

  private List<UnwrittenOutcome<D>> collect(long now) {
    if (away && pausedUntilNanos - now > 0) {
      return List.of();
    }
    int most = Math.min(batchLimit, fresh.size() + again.size());
    List<UnwrittenOutcome<D>> batch = new ArrayList<>(most);
    again.ensureCapacity(again.size() + taken + most); // there must be memory to put them back
    for (Iterator<UnwrittenOutcome<D>> i = again.iterator();
        i.hasNext() && batch.size() < batchLimit; ) {
      UnwrittenOutcome<D> outcome = i.next();
      if (outcome.notBeforeNanos - now <= 0) {
        batch.add(outcome);
        i.remove();
      }
    }
    while (!fresh.isEmpty() && batch.size() < batchLimit) {
      batch.add(fresh.poll());
    }
    batch.forEach(outcome -> outcome.takenWith = batch);
    taken += batch.size();
    return batch;
  }

  private long nanosUntilNext(long now) {
    long nanos = fresh.isEmpty() ? Long.MAX_VALUE : 0;
    for (UnwrittenOutcome<D> outcome : again) {
      nanos = Math.min(nanos, outcome.notBeforeNanos - now);
    }
    if (away && nanos != Long.MAX_VALUE) {
      nanos = Math.max(nanos, pausedUntilNanos - now);
    }
    return Math.max(1, closing ? Math.min(nanos, closeByNanos - now) : nanos);
  }

  /** A taker has done what it could: what it has neither settled nor put back comes again. */
  void taken(List<UnwrittenOutcome<D>> batch) {
    try (Guard guard = lock.lock()) {
      for (UnwrittenOutcome<D> outcome : batch) {
        if (outcome.takenWith != batch) {
          continue; // it was put back, and the other taker may have it now
        }
        if (outcome.settled) {
          bytes -= outcome.delivery.bytes();
        } else {
          putBackLocked(outcome, System.nanoTime());
        }
      }
      taken -= batch.size();
      room.signalAll();
      if (closing) {
        work.signal(); // the last one may have been the other taker's
      }
    }
  }

  /** To be tried again, {@code nanos} from now at the earliest. */
  void putBack(Collection<UnwrittenOutcome<D>> outcomes, long nanos) {
    long notBefore = System.nanoTime() + nanos;
    try (Guard guard = lock.lock()) {
      outcomes.forEach(outcome -> putBackLocked(outcome, notBefore));
    }
  }

  private void putBackLocked(UnwrittenOutcome<D> outcome, long notBeforeNanos) {
    outcome.takenWith = null;
    outcome.notBeforeNanos = notBeforeNanos;
    again.add(outcome);
    if (!gathering) {
      work.signal(); // the other taker put it back: this one may wait for something new, for ever
    }
  }

  /**
   * The database did not answer: a pause for all of them, longer each time. Perhaps it cannot do so
   * much in the time that it has, so the next batch is smaller.
   */
  void databaseIsAway() {
    try (Guard guard = lock.lock()) {
      away = true;
      awaySinceNanos = System.nanoTime();
      pausedUntilNanos = awaySinceNanos + jitter(pauseNanos);
      pauseNanos = Math.min(maxPauseNanos, 2 * pauseNanos);
      batchLimit = Math.max(1, batchLimit / 2);
    }
  }

  /** The database took outcomes, or refused them. */
  void databaseIsThere() {
    if (away || pauseNanos != minPauseNanos || batchLimit != MAX_BATCH) {
      try (Guard guard = lock.lock()) {
        away = false;
        pauseNanos = minPauseNanos;
        batchLimit = Math.min(MAX_BATCH, batchLimit + batchLimit / 8 + 1); // carefully
      }
    }
  }

  /**
   * The database answered somebody else in this process: no reason to wait out an outage, though
   * not worth more than one try in the shortest pause.
   */
  public void databaseAnswered() {
    if (!away) {
      return;
    }
    try (Guard guard = lock.lock()) {
      long soon = awaySinceNanos + minPauseNanos;
      if (pausedUntilNanos - soon > 0) {
        pausedUntilNanos = soon;
        work.signal();
      }
    }
  }

  /** Whether the last write did not find it. */
  public boolean isDatabaseAway() {
    return away;
  }

  /** Hands out what is left until {@code closeByNanos}, then ends. */
  void close(long closeByNanos) {
    try (Guard guard = lock.lock()) {
      if (!closing) {
        closing = true;
        this.closeByNanos = closeByNanos;
        work.signalAll();
        many.signalAll();
        room.signalAll();
      }
    }
  }

  static long jitter(long nanos) {
    return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos);
  }

  /** The pauses of a recorder. */
  public static <D extends Delivery> UnwrittenOutcomes<D> bounded(int max, long maxBytes) {
    return new UnwrittenOutcomes<>(
        max, maxBytes, TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(2));
  }
}
