package io.outbox.internal.breaker;

import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.internal.RepeatedWarning;
import io.outbox.publish.Addressed;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The destinations that one listener misses, each with a breaker; mostly there is none.
 * Thread-safe.
 */
public final class DestinationBreakers {

  private static final Logger LOG = PrintableLogger.of(DestinationBreakers.class);

  /** Destinations may be as many as events; events of those beyond this number are all called. */
  static final int MAX = 1_000;

  /** How long an event waits that has failed without a breaker. */
  private static final Duration WITHOUT_BREAKER = Duration.ofMinutes(1);

  private final Addressed listener;
  private final LongSupplier nanoTime;
  private final ReturnPace pace;
  private final Runnable changed;
  private final Map<String, DestinationBreaker> missing = new ConcurrentHashMap<>();
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);

  /**
   * @param changed run when a destination is found to be missing, or there again
   */
  DestinationBreakers(Addressed listener, LongSupplier nanoTime, Runnable changed) {
    this.listener = listener;
    this.nanoTime = nanoTime;
    this.pace = new ReturnPace(nanoTime);
    this.changed = changed;
  }

  /** Of a listener, as far as it names its destinations. */
  static Addressed addressed(Object listener) {
    return listener instanceof Addressed addressed ? addressed : event -> null;
  }

  Collection<DestinationBreaker> missing() {
    return missing.values();
  }

  /** The breaker of an event's destination; null if that is not known to be missing. */
  public DestinationBreaker of(EventEnvelope event) {
    if (missing.isEmpty()) {
      return null;
    }
    String name = destinationOf(event);
    return name == null ? null : missing.get(name);
  }

  private String destinationOf(EventEnvelope event) {
    try {
      return listener.destinationOf(event);
    } catch (Exception e) {
      return null; // the call itself will tell
    }
  }

  boolean letsThrough(EventEnvelope event) {
    DestinationBreaker breaker = of(event);
    if (breaker == null || breaker.letsThrough(event.eventId())) {
      return true;
    }
    breaker.holdsBack(event);
    return false;
  }

  /** What was let through was not called, or its call told nothing of the destination. */
  void notCalled(EventEnvelope event) {
    DestinationBreaker breaker = of(event);
    if (breaker != null) {
      breaker.notCalled(event.eventId());
    }
  }

  /** The destination gave an answer of whatever kind: it is there. */
  void answered(EventEnvelope event) {
    DestinationBreaker breaker = of(event);
    if (breaker != null && missing.remove(breaker.destination(), breaker)) {
      LOG.log(Level.INFO, () -> breaker.destination() + " takes events again; delivery goes on");
      changed.run();
    }
  }

  /** The call of an event was given up without an answer. */
  void unanswered(EventEnvelope event) {
    DestinationBreaker breaker = of(event);
    if (breaker != null) {
      breaker.failed(event.eventId(), breaker.reason(), missing.size());
    }
  }

  /**
   * The destination is missing.
   *
   * @return how long the event should wait
   */
  Duration failed(EventEnvelope event, OutageException reason) {
    warning.log(
        () ->
            reason.destination()
                + " takes no events: "
                + reason.getMessage()
                + "; they wait in the table, without an attempt counted",
        reason.getCause());
    String name = destinationOf(event);
    if (name == null) {
      return WITHOUT_BREAKER;
    }
    String id = event.eventId();
    DestinationBreaker known = missing.get(name);
    if (known == null && hasRoom()) {
      DestinationBreaker fresh =
          new DestinationBreaker(name, nanoTime, pace, id, reason, missing.size() + 1);
      fresh.holdsBack(event);
      known = missing.putIfAbsent(name, fresh);
      if (known == null) {
        changed.run();
        return fresh.pause(id);
      }
    }
    return known == null ? WITHOUT_BREAKER : known.failed(id, reason, missing.size());
  }

  private boolean hasRoom() {
    if (missing.size() >= MAX) {
      forgetIdle();
    }
    return missing.size() < MAX;
  }

  /** Operators may have ended their events: nobody would ever find out that they are there. */
  void forgetIdle() {
    if (missing.values().removeIf(DestinationBreaker::isIdle)) {
      changed.run();
    }
  }
}
