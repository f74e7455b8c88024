package io.outbox.internal.call;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.record.OutcomeDecision;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventStatus;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeoutException;

/** What calls came to: for the circuit breakers, and for the event. Thread-safe. */
public final class CallOutcomes {

  private final OutcomeDecision decision;
  private final EngineClock clock;
  private final MetricsExporter metrics;
  private volatile boolean forced;

  public CallOutcomes(OutcomeDecision decision, EngineClock clock, MetricsExporter metrics) {
    this.decision = decision;
    this.clock = clock;
    this.metrics = metrics;
  }

  /** From now on every failure may be due to our own interrupt. */
  void force() {
    forced = true;
  }

  boolean isForced() {
    return forced;
  }

  /**
   * What the call came to; null if the engine itself cut it short, or it is repeated.
   *
   * @param mayBePassed false if no other event may be called before this one
   */
  Outcome of(ListenerCall<?> call, DispatchResult result, Throwable failure, boolean mayBePassed) {
    metrics.recordListenerDuration(System.nanoTime() - call.startNanos());
    call.interception().ended(result, failure);
    Delivery delivery = call.delivery();
    if (forced || delivery.wasCutShort()) {
      return ofCutShort(call, result, failure);
    }
    if (failure instanceof OutageException outage) {
      Duration pause = call.breakers().failed(delivery.envelope(), mayBePassed, outage);
      Outcome outcome = ofOutage(delivery, failure, pause);
      if (!mayBePassed && outcome.status().isPending()) {
        call.repeat();
        return null;
      }
      return outcome;
    }
    if (failure instanceof TimeoutException) {
      call.breakers().unanswered(delivery.envelope());
    } else {
      call.breakers().answered(delivery.envelope());
    }
    return failure == null
        ? ofResult(delivery, result)
        : decision.ofFailure(delivery.tried(), failure, clock.now());
  }

  private Outcome ofResult(Delivery delivery, DispatchResult result) {
    if (result instanceof DispatchResult.RetryAfter) {
      delivery.putOffByListener();
    }
    return decision.ofResult(delivery.tried(), result, clock.now());
  }

  /** What is done is done. Whatever else came of our own interrupt is not the event's failure. */
  private Outcome ofCutShort(ListenerCall<?> call, DispatchResult result, Throwable failure) {
    Delivery delivery = call.delivery();
    Outcome outcome = failure == null ? ofResult(delivery, result) : null;
    if (outcome == null || outcome.status() == EventStatus.DEAD) {
      call.breakers().notCalled(delivery.envelope());
      return null;
    }
    call.breakers().answered(delivery.envelope());
    return outcome;
  }

  /** Its listener or destination is not there. */
  Outcome ofOutage(Delivery delivery, Throwable reason, Duration pause) {
    return decision.ofOutage(delivery.tried(), reason, pause, clock.now());
  }

  /** An event that is not to blame begins anew: no claims, no starts. */
  Outcome ofNoStart(Delivery delivery) {
    return Outcome.deferred(delivery.ref(), delivery.attempts(), clock.now());
  }

  /** Delivering it has ended the process too often; null if it may be tried. */
  Outcome ofTooManyStarts(Delivery delivery) {
    if (delivery.starts() < decision.maxAttempts()) {
      return null;
    }
    String reason =
        "started "
            + delivery.starts()
            + " times without an outcome: delivering it seems to end the process";
    return Outcome.dead(delivery.ref(), delivery.attempts(), clock.now(), reason);
  }

  Instant after(Duration pause) {
    return clock.now().plus(pause);
  }

  /** When its next attempt is its last; null if it may become however old. */
  Instant tooOldAt(Delivery delivery) {
    return decision.tooOldAt(delivery.tried());
  }
}
