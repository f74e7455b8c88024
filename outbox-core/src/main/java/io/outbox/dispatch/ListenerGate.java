package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRoute;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The way to one listener. It closes when the listener's destination is down, or when nothing
 * answers any more, so that no worker waits there and no event is called in vain; after a pause one
 * event is let through as a trial. Thread-safe.
 */
final class ListenerGate {

  private static final Logger LOG = System.getLogger(ListenerGate.class.getName());

  static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Nobody waits longer for a trial that does not answer. */
  private static final long TRIAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_ROUTES = 1000;

  private final LongSupplier nanoTime;
  private final Consumer<ListenerGate> changed;
  private final InFlightLimit inFlight;
  private final Set<EventRoute> routes = ConcurrentHashMap.newKeySet(); // of events sent away
  private volatile boolean closed;
  private volatile long trialAtNanos; // while it is closed
  private boolean trial; // is under way
  private int failures; // one after the other

  /**
   * @param changed told when it has closed or opened
   */
  ListenerGate(LongSupplier nanoTime, InFlightLimit inFlight, Consumer<ListenerGate> changed) {
    this.nanoTime = nanoTime;
    this.inFlight = inFlight;
    this.changed = changed;
  }

  InFlightLimit inFlight() {
    return inFlight;
  }

  /**
   * Whether this event may go to the listener now; if so, its call or {@link #notCalled} follows.
   */
  boolean letsThrough(EventEnvelope event) {
    if (!closed) {
      return true;
    }
    synchronized (this) {
      if (!closed) {
        return true;
      }
      if (routes.size() < MAX_ROUTES) {
        routes.add(EventRoute.of(event));
      }
      if (trial || nanoTime.getAsLong() - trialAtNanos < 0) {
        return false;
      }
      trial = true;
      return true;
    }
  }

  /** What was let through did not come to the listener. */
  synchronized void notCalled() {
    trial = false;
  }

  /** The listener gave an answer of whatever kind: its destination is there. */
  void answered() {
    if (!closed) {
      return;
    }
    synchronized (this) {
      if (!closed) {
        return;
      }
      closed = false;
      trial = false;
      failures = 0;
      routes.clear();
    }
    LOG.log(Level.INFO, "a listener's destination answers again; delivery goes on");
    changed.accept(this);
  }

  /** Its destination is down, or does not answer. */
  void failed(EventEnvelope event, Throwable reason) {
    boolean first;
    synchronized (this) {
      if (closed && !trial) {
        return; // known; what was in flight when it closed comes back by and by
      }
      first = !closed;
      trial = false;
      failures++;
      trialAtNanos = nanoTime.getAsLong() + pauseNanos();
      routes.add(EventRoute.of(event));
      closed = true;
    }
    if (first) {
      LOG.log(
          Level.WARNING,
          () ->
              "the destination of "
                  + event.aggregateType()
                  + "/"
                  + event.eventType()
                  + " does not answer; its events wait in the table, without an attempt counted",
          reason);
    }
    changed.accept(this);
  }

  private long pauseNanos() {
    long pause = FIRST_PAUSE_NANOS << Math.min(failures - 1, 10);
    pause = Math.min(pause, LONGEST_PAUSE_NANOS);
    return pause - ThreadLocalRandom.current().nextLong(pause / 5);
  }

  /** How long an event that was not let through should wait. */
  Duration pause() {
    long left = trialAtNanos - nanoTime.getAsLong();
    return Duration.ofNanos(left > 0 ? left : TRIAL_NANOS);
  }

  /** The routes not worth fetching now; empty while it is open, or a trial is wanted. */
  List<EventRoute> closedRoutes() {
    if (!closed) {
      return List.of();
    }
    synchronized (this) {
      boolean waits = closed && (trial || nanoTime.getAsLong() - trialAtNanos < 0);
      return waits ? List.copyOf(routes) : List.of();
    }
  }

  boolean isClosed() {
    return closed;
  }
}
