package io.outbox.cli.move;

import io.outbox.EventEnvelope;
import java.time.Instant;

/**
 * A row, and the event it becomes.
 *
 * @param event null if it cannot become one
 * @param timeKnown whether it says when the event occurred
 * @param finishedAt may be null
 * @param error of a dead row; may be null
 * @param refusal why it cannot become an event; null if it can
 */
record SourceRow(
    Object key,
    EventEnvelope event,
    boolean timeKnown,
    Instant finishedAt,
    String error,
    String refusal) {

  static SourceRow refused(Object key, String why) {
    return new SourceRow(key, null, false, null, null, why);
  }
}
