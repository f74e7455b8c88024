package io.outbox.internal.call;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.internal.OwnWork;
import io.outbox.internal.policy.ListenerTerms;
import io.outbox.internal.policy.Policies;
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
public final class CallOutcomes<D extends Delivery> {

  private final Policies<D> policies;
  private final EngineClock clock;
  private final MetricsExporter metrics;
  private volatile boolean forced;

  public CallOutcomes(Policies<D> policies, EngineClock clock, MetricsExporter metrics) {
    this.policies = policies;
    this.clock = clock;
    this.metrics = metrics;
  }

  /** What holds for the calls of a listener. */
  ListenerTerms<D> termsOf(EventListener listener) {
    return policies.of(listener);
  }

  /** An event was left in the table because its listener had no place for it. */
  void wasLeft(D delivery) {
    policies.wasLeft(delivery.envelope());
  }

  /** From now on every failure may be due to our own interrupt. */
  void force() {
    forced = true;
  }

  boolean isForced() {
    return forced;
  }

  /**
   * What the call came to; null if the engine itself cut it short, or it is repeated or read again.
   *
   * @param mayBePassed false if no other event may be called before this one
   */
  Outcome of(ListenerCall<D> call, DispatchResult result, Throwable failure, boolean mayBePassed) {
    metrics.recordListenerDuration(System.nanoTime() - call.startNanos());
    call.interception.ended(result, failure);
    D delivery = call.delivery;
    OutcomeDecision decision = call.terms.decision();
    if (forced || delivery.wasCutShort()) {
      return ofCutShort(call, result, failure);
    }
    if (failure instanceof OutageException outage) {
      Duration pause = call.breakers.failed(delivery.envelope(), mayBePassed, outage);
      Outcome outcome = ofOutage(delivery, call.terms, failure, pause);
      if (!mayBePassed && outcome.status().isPending()) {
        call.repeat();
        return null;
      }
      return outcome;
    }
    if (failure instanceof TimeoutException) {
      call.breakers.unanswered(delivery.envelope());
    } else {
      call.breakers.answered(delivery.envelope());
    }
    if (result == OwnWork.FOR_ANOTHER && !mayBePassed) {
      return null; // not later, as those behind it would pass: read again, with all of them
    }
    return failure == null
        ? ofResult(call, result)
        : decision.ofFailure(delivery.tried(), failure, clock.now());
  }

  private Outcome ofResult(ListenerCall<D> call, DispatchResult result) {
    D delivery = call.delivery;
    if (result instanceof DispatchResult.RetryAfter) {
      delivery.putOffByListener();
    }
    return call.terms.decision().ofResult(delivery.tried(), result, clock.now());
  }

  /** What is done is done. Whatever else came of our own interrupt is not the event's failure. */
  private Outcome ofCutShort(ListenerCall<D> call, DispatchResult result, Throwable failure) {
    D delivery = call.delivery;
    Outcome outcome = failure == null ? ofResult(call, result) : null;
    if (outcome == null || outcome.status() == EventStatus.DEAD) {
      call.breakers.notCalled(delivery.envelope());
      return null;
    }
    call.breakers.answered(delivery.envelope());
    return outcome;
  }

  /** It has no listener here. */
  Outcome ofNoListener(D delivery, Throwable reason, Duration pause) {
    return ofOutage(delivery, policies.standard(), reason, pause);
  }

  /** Its listener or destination is not there. */
  Outcome ofOutage(D delivery, ListenerTerms<D> terms, Throwable reason, Duration pause) {
    return terms.decision().ofOutage(delivery.tried(), reason, pause, clock.now());
  }

  /** An operator has paused it, however old it is. */
  Outcome ofHold(Delivery delivery, Duration pause) {
    return Outcome.deferred(delivery.ref(), delivery.attempts(), after(pause));
  }

  /** An event that is not to blame begins anew: no claims, no starts. */
  Outcome ofNoStart(D delivery) {
    return Outcome.deferred(delivery.ref(), delivery.attempts(), clock.now());
  }

  /** Delivering it has ended the process too often; null if it may be tried. */
  Outcome ofTooManyStarts(D delivery, ListenerTerms<D> terms) {
    if (delivery.starts() < terms.decision().maxAttempts()) {
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
  Instant tooOldAt(D delivery) {
    return policies.standard().decision().tooOldAt(delivery.tried());
  }
}
