package io.outbox.internal.record;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventRef;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes outcomes: whatever has finished since the last commit goes into the next one, without a
 * timer. While many finish, a second thread writes what gathers meanwhile. While the database is
 * away outcomes wait, and workers wait when there are too many.
 */
public final class OutcomeRecorder<D extends Delivery> {

  private static final Logger LOG = PrintableLogger.of(OutcomeRecorder.class);
  private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LOCKED_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MIN_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MAX_BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int CONFLICTS_TO_SPLIT = 3;
  private static final long MAX_ALONE_NANOS = TimeUnit.MINUTES.toNanos(2);

  /** Told what became of outcomes, on the recorder's threads. */
  public interface Listener<D extends Delivery> {
    /** The outcome is in the database. */
    void written(D delivery, Outcome outcome);

    /** The outcome will never be written; the event is somebody else's, or will come again. */
    void abandoned(D delivery, Outcome outcome);

    /** A transaction with outcomes has ended. */
    void batchEnded();
  }

  /** Writes a batch in a transaction of the recorder's. */
  public interface Writer<D extends Delivery> {
    /** Returns what became of each, in the same order. */
    List<OutcomeResult> write(Connection conn, List<UnwrittenOutcome<D>> batch) throws SQLException;

    /** Whether it writes these with one statement, which needs no transaction around it. */
    default boolean writesAtOnce(List<UnwrittenOutcome<D>> batch) {
      return false;
    }

    /** Whether batches can be written beside each other, because no outcome waits for another. */
    default boolean writesInAnyOrder() {
      return false;
    }
  }

  /** Leaves all to the store. */
  private record PlainWriter<D extends Delivery>(OutboxStore store, boolean writesInAnyOrder)
      implements Writer<D> {
    @Override
    public List<OutcomeResult> write(Connection conn, List<UnwrittenOutcome<D>> batch) {
      return store.recordOutcomes(conn, outcomes(batch));
    }

    @Override
    public boolean writesAtOnce(List<UnwrittenOutcome<D>> batch) {
      return store.recordsAtOnce(outcomes(batch));
    }

    private List<Outcome> outcomes(List<UnwrittenOutcome<D>> batch) {
      return batch.stream().map(entry -> entry.outcome).toList();
    }
  }

  private final StoreSession session;
  private final Writer<D> writer;
  private final Listener<? super D> listener;
  private final UnwrittenOutcomes<D> unwritten;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final EngineThread thread;
  private final EngineThread second; // null: one batch after the other
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile List<EventRef> toRelease = List.of();
  private volatile long closeByNanos;
  private final AtomicLong successes = new AtomicLong();

  /** {@code inAnyOrder}: whether an outcome may be written before that of an earlier event. */
  public OutcomeRecorder(
      StoreSession session,
      Listener<? super D> listener,
      UnwrittenOutcomes<D> unwritten,
      boolean inAnyOrder) {
    this(session, new PlainWriter<>(session.store(), inAnyOrder), listener, unwritten);
  }

  public OutcomeRecorder(
      StoreSession session,
      Writer<D> writer,
      Listener<? super D> listener,
      UnwrittenOutcomes<D> unwritten) {
    this.session = session;
    this.writer = writer;
    this.listener = listener;
    this.unwritten = unwritten;
    this.thread = thread(this::writeNext);
    this.second = writer.writesInAnyOrder() ? thread(this::writeBeside) : null;
  }

  private static EngineThread thread(EngineThread.Work work) {
    return new EngineThread("outbox-recorder-", "writing outcomes failed unexpectedly", work);
  }

  public void start() {
    thread.start();
    if (second != null) {
      second.start();
    }
  }

  /** Hands over an outcome; waits while too many are unwritten. */
  public void submit(D delivery, Outcome outcome) {
    submit(delivery, outcome, true);
  }

  /** Hands over an outcome; {@code mayWait} while too many are unwritten. */
  public void submit(D delivery, Outcome outcome, boolean mayWait) {
    UnwrittenOutcome<D> entry = new UnwrittenOutcome<>(delivery, outcome);
    if (!(mayWait ? unwritten.add(entry) : unwritten.addAtOnce(entry))) {
      // A listener that outlived the recorder, or closed the outbox itself.
      write(List.of(entry));
    }
  }

  /** The database answered somebody else in this process: no reason to wait out an outage. */
  public void databaseAnswered() {
    unwritten.databaseAnswered();
  }

  /** Whether the last write found the database. */
  public boolean isHealthy() {
    return !unwritten.isDatabaseAway();
  }

  /** Whether nothing waits to be written. */
  boolean isIdle() {
    return unwritten() == 0;
  }

  /** How many outcomes are not written. */
  public int unwritten() {
    return unwritten.size();
  }

  /** Writes what is left and releases {@code leases}, within {@code nanos}. */
  public void close(List<EventRef> leases, long nanos) throws InterruptedException {
    if (closed.compareAndSet(false, true)) {
      toRelease = leases;
      closeByNanos = System.nanoTime() + nanos;
      unwritten.close(closeByNanos);
    }
    thread.join(Math.max(A_MILLISECOND, nanos));
    if (second != null) {
      second.join(Math.max(A_MILLISECOND, closeByNanos - System.nanoTime()));
    }
  }

  private long writeNext() throws InterruptedException {
    List<UnwrittenOutcome<D>> batch = unwritten.take();
    if (batch == null) {
      thread.close(this::releaseLeases);
      return 0;
    }
    writeTaken(batch);
    return 0;
  }

  private long writeBeside() throws InterruptedException {
    List<UnwrittenOutcome<D>> batch = unwritten.takeBeside();
    if (batch == null) {
      second.close();
      return 0;
    }
    writeTaken(batch);
    return 0;
  }

  private void writeTaken(List<UnwrittenOutcome<D>> batch) {
    try {
      write(batch);
    } finally {
      unwritten.taken(batch);
    }
  }

  private void write(List<UnwrittenOutcome<D>> batch) {
    AtomicBoolean committing = new AtomicBoolean();
    List<OutcomeResult> results;
    try {
      results = maySucceedAtOnce(batch) ? writeAtOnce(batch, committing) : write(batch, committing);
      if (results.size() != batch.size() || results.stream().anyMatch(Objects::isNull)) {
        throw new IllegalStateException(
            session.store() + " answered " + results + " for " + batch.size() + " outcomes");
      }
    } catch (Throwable failure) {
      batch.forEach(entry -> entry.tried |= committing.get());
      failed(batch, failure);
      return;
    }
    unwritten.databaseIsThere();
    successes.incrementAndGet();
    for (int i = 0; i < batch.size(); i++) {
      UnwrittenOutcome<D> entry = batch.get(i);
      switch (results.get(i)) {
        case WRITTEN -> settle(entry, true);
        // Ours only if an earlier write of it ended without an answer.
        case ALREADY_THERE -> settle(entry, entry.tried);
        case LOCKED ->
            unwritten.putBack(
                List.of(entry), LOCKED_AGAIN_NANOS << Math.min(5, entry.foundLocked()));
        case LOST -> settle(entry, false);
      }
    }
    listener.batchEnded();
  }

  /**
   * What once got no answer may wait for a lock, and a statement alone has no bound on the server:
   * each further try would leave another session behind.
   */
  private boolean maySucceedAtOnce(List<UnwrittenOutcome<D>> batch) {
    return batch.stream().noneMatch(entry -> entry.tried) && writer.writesAtOnce(batch);
  }

  /**
   * @param committing true from when on they may be there, whatever is heard of it
   */
  private List<OutcomeResult> write(List<UnwrittenOutcome<D>> batch, AtomicBoolean committing) {
    return session.inTransaction(
        conn -> {
          List<OutcomeResult> answers = writer.write(conn, batch);
          committing.set(true);
          return answers;
        });
  }

  private List<OutcomeResult> writeAtOnce(
      List<UnwrittenOutcome<D>> batch, AtomicBoolean committing) {
    return session.withoutTransaction(
        conn -> {
          committing.set(true);
          return writer.write(conn, batch);
        });
  }

  private void settle(UnwrittenOutcome<D> entry, boolean written) {
    entry.settled = true;
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

  private void failed(List<UnwrittenOutcome<D>> batch, Throwable failure) {
    StoreFailures.Kind kind = StoreFailures.kindOf(failure);
    if (kind == StoreFailures.Kind.AWAY) {
      unwritten.databaseIsAway();
      tryAgain(batch, 0, failure);
      return;
    }
    unwritten.databaseIsThere();
    if (kind == StoreFailures.Kind.BUSY) {
      conflicted(batch, failure);
    } else if (batch.size() > 1) {
      split(batch);
    } else {
      refusedAlone(batch.get(0), failure);
    }
  }

  /** A deadlock passes; a row that stays locked must not hold up all the others for ever. */
  private void conflicted(List<UnwrittenOutcome<D>> batch, Throwable failure) {
    int conflicts = 0;
    for (UnwrittenOutcome<D> entry : batch) {
      conflicts = Math.max(conflicts, entry.conflicted());
    }
    if (batch.size() > 1 && conflicts >= CONFLICTS_TO_SPLIT) {
      split(batch);
    } else {
      tryAgain(batch, UnwrittenOutcomes.jitter(backoff(conflicts)), failure);
    }
  }

  private void tryAgain(List<UnwrittenOutcome<D>> batch, long nanos, Throwable failure) {
    warning.log(
        () -> batch.size() + " outcomes cannot be written; trying again until they can", failure);
    unwritten.putBack(batch, nanos);
  }

  /** One of them may be what the database does not take. */
  private void split(List<UnwrittenOutcome<D>> batch) {
    write(batch.subList(0, batch.size() / 2));
    write(batch.subList(batch.size() / 2, batch.size()));
  }

  private void refusedAlone(UnwrittenOutcome<D> entry, Throwable failure) {
    int failures = entry.refusedAlone(successes.get());
    if (entry.isHopeless(successes.get(), MAX_ALONE_NANOS)) {
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
    unwritten.putBack(List.of(entry), UnwrittenOutcomes.jitter(backoff(failures)));
  }

  private static long backoff(int failures) {
    return Math.min(MAX_BACKOFF_NANOS, MIN_BACKOFF_NANOS << Math.min(6, failures));
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
}
