package io.outbox.internal.breaker;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRoute;
import io.outbox.spi.MemberDetail.Outage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

/**
 * The circuit breaker of one destination of a listener, from the failure that opened it until the
 * destination answers. Its events wait in the table and are rarely fetched: the one that failed
 * comes back for the next trial, the others within half a minute, or later if they are many.
 * Thread-safe.
 */
public final class DestinationBreaker {

  /** There may be as many destinations as events. */
  private static final int MAX_ROUTES = 20;

  private final String destination;
  private final LongSupplier nanoTime;
  private final ReturnPace pace;
  private final long sinceNanos;
  private final Set<EventRoute> routes = ConcurrentHashMap.newKeySet(); // of events that wait
  private long trialAtNanos;
  private String trial; // the event that is under way as a trial, or null
  private long trialSinceNanos;
  private String returning; // the event that comes back for the next trial
  private int failures; // one after the other
  private Throwable reason;

  /**
   * An event found its destination missing.
   *
   * @param pace of all destinations of the listener
   */
  DestinationBreaker(
      String destination,
      LongSupplier nanoTime,
      ReturnPace pace,
      String eventId,
      Throwable why,
      int destinations) {
    this.destination = destination;
    this.nanoTime = nanoTime;
    this.pace = pace;
    this.sinceNanos = nanoTime.getAsLong();
    this.trial = eventId;
    failed(eventId, why, destinations);
  }

  String destination() {
    return destination;
  }

  /** What the last trial came to. */
  public synchronized Throwable reason() {
    return reason;
  }

  /** An event waits because of it. */
  void holdsBack(EventEnvelope event) {
    if (routes.size() < MAX_ROUTES) {
      routes.add(EventRoute.of(event));
    }
  }

  /**
   * What people are told of it.
   *
   * @param now what time it is, for those who do not know this JVM's
   */
  synchronized Outage outage(Object listener, Instant now) {
    long nanos = nanoTime.getAsLong();
    return new Outage(
        ListenerNames.of(listener, routes),
        destination,
        trial == null ? Outage.OPEN : Outage.HALF_OPEN,
        ListenerNames.reason(reason),
        now.minusNanos(nanos - sinceNanos),
        now.plusNanos(Math.max(0, trialAtNanos - nanos)),
        List.copyOf(routes));
  }

  /** Whether this event may be called, as a trial. */
  synchronized boolean letsThrough(String eventId) {
    long now = nanoTime.getAsLong();
    boolean free = trial == null || now - trialSinceNanos >= BreakerTimes.LONGEST_PAUSE_NANOS;
    if (!free || now - trialAtNanos < 0) {
      return false;
    }
    trial = eventId;
    trialSinceNanos = now;
    return true;
  }

  /** What was let through has told nothing of the destination. */
  synchronized void notCalled(String eventId) {
    trial = eventId.equals(trial) ? null : trial;
  }

  /**
   * The destination is still missing.
   *
   * @param destinations how many of them the listener misses
   * @return how long the event should wait
   */
  synchronized Duration failed(String eventId, Throwable why, int destinations) {
    if (eventId.equals(trial)) { // what was in flight besides tells nothing new
      trial = null;
      returning = eventId;
      reason = why;
      failures++;
      trialAtNanos = nanoTime.getAsLong() + BreakerTimes.pauseNanos(failures, destinations);
    }
    return pause(eventId);
  }

  /** How long an event that was not let through should wait. */
  public synchronized Duration pause(String eventId) {
    long now = nanoTime.getAsLong();
    long left = trialAtNanos - now;
    if (eventId.equals(returning)) {
      return Duration.ofNanos(Math.max(left, BreakerTimes.SOON_NANOS));
    }
    // Nobody tells them that the destination is back: they must not be away for long.
    long wait = Math.min((now - sinceNanos) / 4, BreakerTimes.AWAY_NANOS);
    wait -= wait == 0 ? 0 : ThreadLocalRandom.current().nextLong(wait / 5 + 1);
    wait = Math.max(wait, pace.nextNanos());
    return Duration.ofNanos(Math.max(Math.max(left, wait), BreakerTimes.AGAIN_NANOS));
  }

  /** Whether no event was there for a trial for long: its events may be gone. */
  synchronized boolean isIdle() {
    return nanoTime.getAsLong() - trialAtNanos > 2 * ReturnPace.LONGEST_WAIT_NANOS;
  }
}
