package io.outbox.fakes;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** Stands still until it is told to go on. */
public final class ManualClock extends Clock {

  private final AtomicReference<Instant> now;

  public ManualClock() {
    this(Instant.parse("2030-01-01T00:00:00Z"));
  }

  public ManualClock(Instant start) {
    now = new AtomicReference<>(start);
  }

  public void advance(Duration by) {
    now.updateAndGet(instant -> instant.plus(by));
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
