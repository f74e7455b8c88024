package io.outbox.internal.breaker;

import io.outbox.EventEnvelope;
import io.outbox.internal.RepeatedWarning;
import io.outbox.model.EventRoute;
import io.outbox.spi.MemberDetail.Outage;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The circuit breaker of one listener. It opens when the listener's destination is down, or when
 * nothing answers any more, so that no worker waits there and no event is called in vain; after a
 * pause one event is let through as a trial. Thread-safe.
 */
public final class CircuitBreaker {

  private static final Logger LOG = PrintableLogger.of(CircuitBreaker.class);

  private static final int MAX_REMEMBERED = 1000;

  private final LongSupplier nanoTime;
  private final Consumer<CircuitBreaker> changed;
  private final InFlightLimit inFlight;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final Set<EventRoute> routes = ConcurrentHashMap.newKeySet(); // of events sent away
  private volatile boolean open;
  private volatile long answeredNanos; // when the last answer came
  private long openedNanos;
  private String reason; // while it is open
  private boolean silent; // open because nothing answers, not because something failed
  private long trialAtNanos; // while it is open
  private String trial; // the event that is under way as a trial, or null
  private long trialSinceNanos;
  private final Set<String> failed = new LinkedHashSet<>(); // events, the latest last
  private int failures; // one after the other

  /**
   * @param changed told when it has opened or closed
   */
  CircuitBreaker(LongSupplier nanoTime, InFlightLimit inFlight, Consumer<CircuitBreaker> changed) {
    this.nanoTime = nanoTime;
    this.inFlight = inFlight;
    this.changed = changed;
    this.answeredNanos = nanoTime.getAsLong() - BreakerTimes.RECENT_NANOS;
  }

  public InFlightLimit inFlight() {
    return inFlight;
  }

  /**
   * Whether this event may go to the listener now; if so, its call or {@link #notCalled} follows.
   */
  boolean letsThrough(EventEnvelope event) {
    if (!open) {
      return true;
    }
    synchronized (this) {
      if (!open) {
        return true;
      }
      addRoute(event);
      long now = nanoTime.getAsLong();
      boolean other = !failed.contains(event.eventId());
      if (!isTrialWanted(now) || !other && now - trialAtNanos < BreakerTimes.PREFERENCE_NANOS) {
        return false;
      }
      trial = event.eventId();
      trialSinceNanos = now;
      return true;
    }
  }

  /** As long as a silent listener has no place free, an answer is all that can close it. */
  private boolean isTrialWanted(long now) {
    boolean free = trial == null || now - trialSinceNanos >= BreakerTimes.LONGEST_PAUSE_NANOS;
    return free && now - trialAtNanos >= 0 && inFlight.hasRoom();
  }

  private void addRoute(EventEnvelope event) {
    if (routes.size() < MAX_REMEMBERED) {
      routes.add(EventRoute.of(event));
    }
  }

  /** They would else be the oldest at each trial, one after the other. */
  private void addFailed(EventEnvelope event) {
    failed.remove(event.eventId());
    failed.add(event.eventId());
    if (failed.size() > MAX_REMEMBERED) {
      failed.remove(failed.iterator().next());
    }
  }

  /** What was let through did not come to the listener. */
  void notCalled(EventEnvelope event) {
    if (open) {
      synchronized (this) {
        trial = event.eventId().equals(trial) ? null : trial;
      }
    }
  }

  /** The listener gave an answer of whatever kind: its destination is there. */
  void answered() {
    answeredNanos = nanoTime.getAsLong();
    if (!open) {
      return;
    }
    synchronized (this) {
      if (!open) {
        return;
      }
      open = false;
      trial = null;
      failures = 0;
      routes.clear();
    }
    LOG.log(Level.INFO, "a listener's destination answers again; delivery goes on");
    changed.accept(this);
  }

  /**
   * Its destination is down. While it answers other calls, that is so for this event alone, and the
   * breaker stays closed.
   *
   * @param mayBeAlone false if no other event may be called before this one
   * @return how long the event should wait
   */
  Duration failed(EventEnvelope event, boolean mayBeAlone, Throwable reason) {
    if (!open && mayBeAlone && nanoTime.getAsLong() - answeredNanos < BreakerTimes.RECENT_NANOS) {
      warning.log(
          () ->
              "the destination of event "
                  + event.eventId()
                  + " does not answer, though its listener does; it is tried again",
          reason);
      synchronized (this) {
        addFailed(event);
      }
      return BreakerTimes.ALONE;
    }
    open(event, false, reason);
    return pause();
  }

  /** As many calls as are allowed are without an answer for long. */
  public void silent(EventEnvelope event) {
    open(event, true, null);
  }

  /** The call of an event was given up without an answer. */
  void unanswered(EventEnvelope event) {
    boolean wasTrial;
    synchronized (this) {
      wasTrial = open && event.eventId().equals(trial);
    }
    if (wasTrial) {
      open(event, false, null);
    }
  }

  private void open(EventEnvelope event, boolean isSilent, Throwable failure) {
    synchronized (this) {
      if (open && !event.eventId().equals(trial)) {
        return; // known; what was in flight when it opened comes back by and by
      }
      long now = nanoTime.getAsLong();
      openedNanos = open ? openedNanos : now;
      silent = isSilent;
      reason = failure == null ? "no answer" : ListenerNames.reason(failure);
      trial = null;
      addFailed(event);
      failures++;
      trialAtNanos = now + BreakerTimes.pauseNanos(failures);
      addRoute(event);
      open = true;
    }
    warning.log(
        () ->
            "the destination of "
                + EventRoute.of(event)
                + " does not answer; its events wait in the table, without an attempt counted",
        failure);
    changed.accept(this);
  }

  /** How long an event that was not let through should wait. */
  public synchronized Duration pause() {
    long now = nanoTime.getAsLong();
    long left = trialAtNanos - now;
    if (silent) {
      // The longer nothing was heard, the longer it may take.
      left =
          Math.min(
              Math.max(BreakerTimes.AGAIN_NANOS, now - openedNanos),
              BreakerTimes.LONGEST_PAUSE_NANOS);
    }
    return Duration.ofNanos(left > 0 ? left : BreakerTimes.AGAIN_NANOS);
  }

  /** The routes not worth fetching now; empty while it is closed, or a trial is wanted. */
  List<EventRoute> heldBackRoutes() {
    if (!open) {
      return List.of();
    }
    synchronized (this) {
      return open && !isTrialWanted(nanoTime.getAsLong()) ? List.copyOf(routes) : List.of();
    }
  }

  /**
   * What people are told of it; null while it is closed.
   *
   * @param now what time it is, for those who do not know this JVM's
   */
  Outage outage(Object listener, Instant now) {
    if (!open) {
      return null;
    }
    synchronized (this) {
      long nanos = nanoTime.getAsLong();
      return !open
          ? null
          : new Outage(
              ListenerNames.of(listener, routes),
              null,
              trial == null ? Outage.OPEN : Outage.HALF_OPEN,
              reason,
              now.minusNanos(nanos - openedNanos),
              now.plusNanos(Math.max(0, trialAtNanos - nanos)),
              List.copyOf(routes));
    }
  }

  /** Whether events of this route were sent away since it opened. */
  boolean holdsBack(EventRoute route) {
    return open && routes.contains(route);
  }

  public boolean isOpen() {
    return open;
  }
}
