package io.outbox.internal.policy;

import io.outbox.internal.queue.Delivery;
import io.outbox.internal.record.OutcomeDecision;
import java.time.Duration;

/**
 * What holds for the calls of one listener.
 *
 * @param decision what becomes of its events
 * @param timeout null for that of the settings; {@link #NO_TIMEOUT} for none
 * @param gate null if its calls are not limited
 */
public record ListenerTerms<D extends Delivery>(
    OutcomeDecision decision, Duration timeout, Gate<D> gate) {

  public static final Duration NO_TIMEOUT = Duration.ZERO;
}
