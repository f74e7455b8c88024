package io.outbox.internal.record;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
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
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes outcomes: whatever has finished since the last commit goes into the next one, without a
 * timer. While many finish, a second thread writes what gathers meanwhile. While the database is
 * away outcomes wait, and workers wait when there are too many.
 */
public final class OutcomeRecorder<D extends Delivery> {

  private static final Logger LOG = PrintableLogger.of(OutcomeRecorder.class);
  private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

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
  private final UnwrittenOutcomes<D> unwritten;
  private final OutcomeBatches<D> batches;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final EngineThread thread;
  private final EngineThread second; // null: one batch after the other
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile List<EventRef> toRelease = List.of();
  private volatile long closeByNanos;

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
    this.unwritten = unwritten;
    this.batches = new OutcomeBatches<>(session, writer, listener, unwritten, warning);
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
      batches.write(List.of(entry));
    }
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
      batches.write(batch);
    } finally {
      unwritten.taken(batch);
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
        LockSupport.parkNanos(OutcomeBatches.LOCKED_AGAIN_NANOS);
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
