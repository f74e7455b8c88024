package io.outbox.testing;

import static io.outbox.testing.Row.micros;

import io.outbox.model.EventRef;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.util.Optional;

/** Writes one outcome into its row. */
final class OutcomeRecording {

  private OutcomeRecording() {}

  static OutcomeResult record(Session session, Outcome outcome) {
    Optional<Row> found = session.find(outcome.eventId());
    if (found.isEmpty()) {
      return outcome.deletesRow() ? OutcomeResult.ALREADY_THERE : OutcomeResult.LOST;
    }
    if (session.isLockedByOther(outcome.eventId())) {
      return OutcomeResult.LOCKED;
    }
    Row row = found.get();
    if (isThere(outcome, row)) {
      return OutcomeResult.ALREADY_THERE;
    }
    if (!row.isSubjectTo(outcome.ref())) {
      return OutcomeResult.LOST;
    }
    if (outcome.deletesRow()) {
      session.delete(row.id());
    } else {
      session.put(row.with(changed -> apply(outcome, changed)));
    }
    return OutcomeResult.WRITTEN;
  }

  private static boolean isThere(Outcome outcome, Row row) {
    boolean sameLife =
        outcome.ref().leaseNumber() == EventRef.ANY_LEASE
            || outcome.ref().leaseNumber() == row.leaseNumber;
    return !outcome.deletesRow()
        && sameLife
        && !row.isLeased()
        && row.status == outcome.status().code()
        && row.attempts == outcome.attempts()
        && micros(outcome.at()).equals(outcome.status().isPending() ? row.availableAt : row.doneAt);
  }

  static void apply(Outcome outcome, Row row) {
    row.endLease();
    row.status = outcome.status().code();
    row.attempts = outcome.attempts();
    if (outcome.status().isPending()) {
      row.waitOn();
    } else {
      row.waitingSince = null;
    }
    switch (outcome.status()) {
      case DONE -> row.doneAt = micros(outcome.at());
      case DEAD -> {
        row.doneAt = micros(outcome.at());
        row.lastError = outcome.error();
      }
      case RETRY -> {
        row.availableAt = micros(outcome.at());
        row.lastError = outcome.error();
      }
      case NEW -> row.availableAt = micros(outcome.at());
    }
  }
}
