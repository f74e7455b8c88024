package io.outbox.internal.record;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.record.OutcomeRecorder.Listener;
import io.outbox.internal.record.OutcomeRecorder.Writer;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.spi.OutcomeResult;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes batches of outcomes. What the database did not take is put back, and what it refuses is
 * found by halves and ends as not written. Thread-safe.
 */
final class OutcomeBatches<D extends Delivery> {

  private static final Logger LOG = PrintableLogger.of(OutcomeRecorder.class);
  static final long LOCKED_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MIN_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MAX_BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int CONFLICTS_TO_SPLIT = 3;
  private static final long MAX_ALONE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final StoreSession session;
  private final Writer<D> writer;
  private final Listener<? super D> listener;
  private final UnwrittenOutcomes<D> unwritten;
  private final RepeatedWarning warning;
  private final AtomicLong successes = new AtomicLong();

  OutcomeBatches(
      StoreSession session,
      Writer<D> writer,
      Listener<? super D> listener,
      UnwrittenOutcomes<D> unwritten,
      RepeatedWarning warning) {
    this.session = session;
    this.writer = writer;
    this.listener = listener;
    this.unwritten = unwritten;
    this.warning = warning;
  }

  /** Writes them, and settles or puts back each. */
  void write(List<UnwrittenOutcome<D>> batch) {
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
}
