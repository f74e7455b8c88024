package io.outbox.dispatch;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.StoreFailures;
import io.outbox.internal.StoreSession;
import io.outbox.model.EventRef;
import io.outbox.model.Outcome;
import io.outbox.model.OutcomeResult;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes outcomes: whatever has finished since the last commit goes into the next one, without a
 * timer. While the database is away outcomes wait here, and workers wait when there are too many.
 */
final class OutcomeRecorder {

  private static final Logger LOG = System.getLogger(OutcomeRecorder.class.getName());
  private static final int MAX_BATCH = 1000;
  private static final long LOCKED_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MIN_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MAX_BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int MIN_FAILURES_TO_GIVE_UP = 5;
  private static final int CONFLICTS_TO_SPLIT = 3;
  private static final long MAX_ALONE_NANOS = TimeUnit.MINUTES.toNanos(2);

  /** Told what became of outcomes, on the recorder's thread. */
  interface Listener {
    /** The outcome is in the database. */
    void written(Delivery delivery, Outcome outcome);

    /** The outcome will never be written; the event is somebody else's, or will come again. */
    void abandoned(Delivery delivery, Outcome outcome);

    /** A transaction with outcomes has ended. */
    void batchEnded();
  }

  private static final class Entry {
    private final Delivery delivery;
    private final Outcome outcome;
    private boolean tried;
    private int locked;
    private int conflicts;
    private int failures;
    private long firstFailureNanos;
    private long successesBefore;
    private long notBeforeNanos;

    private Entry(Delivery delivery, Outcome outcome) {
      this.delivery = delivery;
      this.outcome = outcome;
    }
  }

  private final StoreSession session;
  private final Listener listener;
  private final int maxUnwritten;
  private final long maxBytes;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final ArrayDeque<Entry> fresh = new ArrayDeque<>();
  private final List<Entry> later = new ArrayList<>(); // to be tried again, not before their time
  private final Thread thread;
  private int writing;
  private long bytes; // of all that is unwritten
  private boolean closing;
  private boolean ended;
  private long closeByNanos;
  private List<EventRef> toRelease = List.of();
  private volatile boolean outage;
  private long outageBackoffNanos = MIN_BACKOFF_NANOS;
  private long successes;

  OutcomeRecorder(StoreSession session, Listener listener, int maxUnwritten, long maxBytes) {
    this.session = session;
    this.listener = listener;
    this.maxUnwritten = maxUnwritten;
    this.maxBytes = maxBytes;
    this.thread = new DaemonThreadFactory("outbox-recorder-").newThread(this::run);
  }

  void start() {
    thread.start();
  }

  /** Hands over an outcome; waits while too many are unwritten. */
  void submit(Delivery delivery, Outcome outcome) {
    Entry entry = new Entry(delivery, outcome);
    lock.lock();
    try {
      while (!closing && isFull()) {
        room.awaitUninterruptibly();
      }
      bytes += delivery.bytes();
      if (!ended) {
        fresh.add(entry);
        work.signal();
        return;
      }
    } finally {
      lock.unlock();
    }
    // A listener that outlived the recorder, or closed the outbox itself.
    write(List.of(entry));
  }

  private boolean isFull() {
    return fresh.size() + later.size() + writing >= maxUnwritten || bytes >= maxBytes;
  }

  /** Whether the last write found the database. */
  boolean isHealthy() {
    return !outage;
  }

  /** Whether nothing waits to be written. */
  boolean isIdle() {
    return unwritten() == 0;
  }

  /** How many outcomes are not written. */
  int unwritten() {
    lock.lock();
    try {
      return fresh.size() + later.size() + writing;
    } finally {
      lock.unlock();
    }
  }

  /** Writes what is left and releases {@code leases}, within {@code nanos}. */
  void close(List<EventRef> leases, long nanos) throws InterruptedException {
    lock.lock();
    try {
      if (!closing) {
        closing = true;
        closeByNanos = System.nanoTime() + nanos;
        toRelease = leases;
        work.signalAll();
        room.signalAll();
      }
    } finally {
      lock.unlock();
    }
    if (Thread.currentThread() != thread) {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }
  }

  private void run() {
    while (true) {
      List<Entry> batch = null;
      try {
        batch = takeBatch();
        if (batch == null) {
          break;
        }
        write(batch);
      } catch (Throwable e) {
        // Nothing may end this thread: every later outcome would wait for ever.
        LOG.log(Level.ERROR, "writing outcomes failed unexpectedly; trying them again", e);
        if (batch != null) {
          postpone(batch, MAX_BACKOFF_NANOS);
        }
      } finally {
        doneWriting();
      }
    }
    releaseLeases();
  }

  /** Waits for outcomes; null when it is time to end. */
  private List<Entry> takeBatch() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        long now = System.nanoTime();
        if (closing && (fresh.isEmpty() && later.isEmpty() || now - closeByNanos >= 0)) {
          ended = true;
          return null;
        }
        List<Entry> batch = collect(now);
        if (!batch.isEmpty()) {
          writing = batch.size();
          return batch;
        }
        long nanos = nanosUntilNext(now);
        if (nanos == Long.MAX_VALUE) {
          work.await();
        } else {
          work.awaitNanos(nanos);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private List<Entry> collect(long now) {
    List<Entry> batch = new ArrayList<>(Math.min(MAX_BATCH, fresh.size() + later.size()));
    for (Iterator<Entry> i = later.iterator(); i.hasNext() && batch.size() < MAX_BATCH; ) {
      Entry entry = i.next();
      if (entry.notBeforeNanos - now <= 0) {
        batch.add(entry);
        i.remove();
      }
    }
    // In an outage what is new waits with the rest: it would fail as well.
    while (!(outage && !later.isEmpty()) && !fresh.isEmpty() && batch.size() < MAX_BATCH) {
      batch.add(fresh.poll());
    }
    return batch;
  }

  private long nanosUntilNext(long now) {
    long nanos = closing ? Math.max(1, closeByNanos - now) : Long.MAX_VALUE;
    for (Entry entry : later) {
      nanos = Math.min(nanos, Math.max(1, entry.notBeforeNanos - now));
    }
    return nanos;
  }

  private void doneWriting() {
    lock.lock();
    try {
      writing = 0;
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void write(List<Entry> batch) {
    List<Outcome> outcomes = batch.stream().map(entry -> entry.outcome).toList();
    List<OutcomeResult> results;
    try {
      results = session.inTransaction(conn -> session.store().recordOutcomes(conn, outcomes));
      if (results.size() != batch.size() || results.stream().anyMatch(Objects::isNull)) {
        throw new IllegalStateException(
            session.store() + " answered " + results + " for " + batch.size() + " outcomes");
      }
    } catch (Throwable failure) {
      failed(batch, failure);
      return;
    }
    outage = false;
    outageBackoffNanos = MIN_BACKOFF_NANOS;
    successes++;
    for (int i = 0; i < batch.size(); i++) {
      Entry entry = batch.get(i);
      switch (results.get(i)) {
        case WRITTEN -> settle(entry, true);
        // Ours only if an earlier write of it ended without an answer.
        case ALREADY_THERE -> settle(entry, entry.tried);
        case LOCKED -> postpone(List.of(entry), LOCKED_AGAIN_NANOS << Math.min(5, entry.locked++));
        case LOST -> settle(entry, false);
      }
    }
    listener.batchEnded();
  }

  private void settle(Entry entry, boolean written) {
    lock.lock();
    try {
      bytes -= entry.delivery.bytes();
    } finally {
      lock.unlock();
    }
    try {
      if (written) {
        listener.written(entry.delivery, entry.outcome);
      } else {
        listener.abandoned(entry.delivery, entry.outcome);
      }
    } catch (Throwable e) {
      LOG.log(Level.ERROR, () -> "after the outcome of event " + entry.outcome.eventId(), e);
    }
  }

  private void failed(List<Entry> batch, Throwable failure) {
    batch.forEach(entry -> entry.tried = true);
    StoreFailures.Kind kind = StoreFailures.kindOf(failure);
    outage = kind == StoreFailures.Kind.AWAY;
    switch (kind) {
      case AWAY -> {
        tryAgain(batch, outageBackoffNanos, failure);
        outageBackoffNanos = Math.min(MAX_BACKOFF_NANOS, 2 * outageBackoffNanos);
      }
      case BUSY -> conflicted(batch, failure);
      case REFUSED -> {
        if (batch.size() > 1) {
          split(batch);
        } else {
          failedAlone(batch.get(0), failure);
        }
      }
    }
  }

  /** A deadlock passes; a row that stays locked must not hold up all the others for ever. */
  private void conflicted(List<Entry> batch, Throwable failure) {
    int conflicts = 0;
    for (Entry entry : batch) {
      conflicts = Math.max(conflicts, ++entry.conflicts);
    }
    if (batch.size() > 1 && conflicts >= CONFLICTS_TO_SPLIT) {
      split(batch);
    } else {
      tryAgain(batch, backoff(conflicts), failure);
    }
  }

  private void tryAgain(List<Entry> batch, long nanos, Throwable failure) {
    warning.log(
        () -> batch.size() + " outcomes cannot be written; trying again until they can", failure);
    postpone(batch, jitter(nanos));
  }

  /** One of them may be what the database does not take. */
  private void split(List<Entry> batch) {
    write(batch.subList(0, batch.size() / 2));
    write(batch.subList(batch.size() / 2, batch.size()));
  }

  private void failedAlone(Entry entry, Throwable failure) {
    long now = System.nanoTime();
    if (entry.failures++ == 0) {
      entry.firstFailureNanos = now;
      entry.successesBefore = successes;
    }
    boolean othersSucceed = successes > entry.successesBefore;
    boolean longEnough = now - entry.firstFailureNanos > MAX_ALONE_NANOS;
    if (entry.failures >= MIN_FAILURES_TO_GIVE_UP && (othersSucceed || longEnough)) {
      LOG.log(
          Level.ERROR,
          () ->
              "the outcome "
                  + entry.outcome.status()
                  + " of event "
                  + entry.outcome.eventId()
                  + " cannot be written; the event will be delivered again",
          failure);
      settle(entry, false);
      listener.batchEnded();
      return;
    }
    warning.log(
        () -> "the outcome of event " + entry.outcome.eventId() + " cannot be written yet",
        failure);
    postpone(List.of(entry), jitter(backoff(entry.failures)));
  }

  private static long backoff(int failures) {
    return Math.min(MAX_BACKOFF_NANOS, MIN_BACKOFF_NANOS << Math.min(6, failures));
  }

  private void postpone(List<Entry> entries, long nanos) {
    if (entries.isEmpty()) {
      return;
    }
    long notBefore = System.nanoTime() + nanos;
    lock.lock();
    try {
      for (Entry entry : entries) {
        entry.notBeforeNanos = notBefore;
        later.add(entry);
      }
    } finally {
      lock.unlock();
    }
  }

  private void releaseLeases() {
    List<EventRef> left = toRelease;
    try {
      while (!left.isEmpty()) {
        left = release(left);
        if (left.isEmpty() || System.nanoTime() - closeByNanos >= 0) {
          break;
        }
        LockSupport.parkNanos(LOCKED_AGAIN_NANOS);
      }
    } catch (Throwable e) {
      int count = left.size();
      warning.log(
          () ->
              count
                  + " events that were not started could not be given back; they are delivered"
                  + " when their leases end",
          e);
    }
  }

  /** Returns those whose rows somebody else has locked. */
  private List<EventRef> release(List<EventRef> leases) {
    Set<String> locked = session.inTransaction(conn -> session.store().releaseLeases(conn, leases));
    return leases.stream().filter(lease -> locked.contains(lease.eventId())).toList();
  }

  private static long jitter(long nanos) {
    return nanos / 2 + ThreadLocalRandom.current().nextLong(nanos);
  }
}
