package io.outbox.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is told to move. Thread-safe. */
public final class ManualClock extends Clock {

  private final AtomicReference<Instant> now;
  private final ZoneId zone;

  /** Starts on 2025-01-01 at midnight, UTC. */
  public ManualClock() {
    this(Instant.parse("2025-01-01T00:00:00Z"));
  }

  public ManualClock(Instant start) {
    this(new AtomicReference<>(Objects.requireNonNull(start, "start")), ZoneOffset.UTC);
  }

  private ManualClock(AtomicReference<Instant> now, ZoneId zone) {
    this.now = now;
    this.zone = Objects.requireNonNull(zone, "zone");
  }

  /** Moves the clock on, or back if the duration is negative; returns the new time. */
  public Instant advance(Duration duration) {
    return now.updateAndGet(instant -> instant.plus(duration));
  }

  public void set(Instant instant) {
    now.set(Objects.requireNonNull(instant, "instant"));
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  /** The same clock in another zone: it moves with this one. */
  @Override
  public Clock withZone(ZoneId zone) {
    return new ManualClock(now, zone);
  }
}
