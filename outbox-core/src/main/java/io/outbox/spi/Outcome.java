package io.outbox.spi;

import io.outbox.internal.TextChecks;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.Objects;

/**
 * The outcome of a delivery, ready to be written.
 *
 * @param status DONE, RETRY, DEAD, or NEW for a deferred event
 * @param attempts the failures so far, this one included: written as it is, never added, so that
 *     writing an outcome twice counts once
 * @param at when the event was finished, or when it is to be delivered again
 * @param error for RETRY and DEAD; may be null. Made storable here: no NUL, no half surrogate pair,
 *     at most {@link #MAX_ERROR_LENGTH} characters
 * @param deletesRow whether the row is deleted instead of becoming DONE; only for DONE
 */
public record Outcome(
    EventRef ref, EventStatus status, int attempts, Instant at, String error, boolean deletesRow) {

  /** Longer error texts are cut. */
  public static final int MAX_ERROR_LENGTH = 4000;

  public Outcome {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(at, "at");
    error = TextChecks.cleanError(error, MAX_ERROR_LENGTH);
    if (deletesRow && status != EventStatus.DONE) {
      throw new IllegalArgumentException(
          "only an event that is DONE may be deleted; event " + ref.eventId() + " is " + status);
    }
  }

  /** An outcome that leaves the row there. */
  public Outcome(EventRef ref, EventStatus status, int attempts, Instant at, String error) {
    this(ref, status, attempts, at, error, false);
  }

  public static Outcome done(EventRef ref, int attempts, Instant doneAt) {
    return new Outcome(ref, EventStatus.DONE, attempts, doneAt, null);
  }

  /** Done, and nothing of it is kept. */
  public static Outcome deleted(EventRef ref, int attempts, Instant doneAt) {
    return new Outcome(ref, EventStatus.DONE, attempts, doneAt, null, true);
  }

  public static Outcome retry(EventRef ref, int attempts, Instant nextAt, String error) {
    return new Outcome(ref, EventStatus.RETRY, attempts, nextAt, error);
  }

  public static Outcome dead(EventRef ref, int attempts, Instant doneAt, String error) {
    return new Outcome(ref, EventStatus.DEAD, attempts, doneAt, error);
  }

  public static Outcome deferred(EventRef ref, int attempts, Instant nextAt) {
    return new Outcome(ref, EventStatus.NEW, attempts, nextAt, null);
  }

  public String eventId() {
    return ref.eventId();
  }
}
