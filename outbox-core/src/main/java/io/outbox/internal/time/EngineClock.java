package io.outbox.internal.time;

import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * The database's time, as well as this JVM can know it: it is asked now and then, and between two
 * answers the JVM's monotonic clock counts on. Thread-safe.
 */
public final class EngineClock {

  private static final long ASK_AGAIN_NANOS = Duration.ofSeconds(10).toNanos();
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
  private static final long SLOW_ANSWER_NANOS = Duration.ofMillis(50).toNanos();

  private final Clock clock;
  private final boolean system;
  private volatile Answer answer;

  private record Answer(Instant databaseTime, long monotonicNanos, boolean slow) {
    /** The database's time when the monotonic clock shows this. */
    Instant at(long nanos) {
      return databaseTime.plusNanos(nanos - monotonicNanos);
    }

    boolean isStale(long nowNanos) {
      long age = nowNanos - monotonicNanos;
      return slow || age < 0 || age >= ASK_AGAIN_NANOS;
    }

    /** Or the clock was set back. */
    boolean isOld(long nowNanos) {
      long age = nowNanos - monotonicNanos;
      return age < 0 || age > 6 * ASK_AGAIN_NANOS;
    }
  }

  public EngineClock(Clock clock) {
    this.clock = Objects.requireNonNull(clock, "clock");
    this.system = clock.withZone(ZoneOffset.UTC).equals(Clock.systemUTC());
  }

  /** The database's time, or the given clock's while the database was not asked. */
  public Instant now() {
    Answer last = answer;
    Instant now = last == null ? clock.instant() : last.at(monotonicNanos());
    return now.truncatedTo(ChronoUnit.MICROS);
  }

  /** At most what a long can count: a row may have been due for ever. */
  public long nanosSince(Instant past) {
    Duration since = Duration.between(past, now());
    return since.compareTo(LONGEST) < 0 ? since.toNanos() : LONGEST.toNanos();
  }

  /** Whether {@link #now()} is the database's. */
  public boolean isSynchronized() {
    return answer != null;
  }

  /** Asks the database for its time if the last answer is old. */
  public void synchronize(OutboxStore store, Connection conn) {
    Answer last = answer;
    long before = monotonicNanos();
    if (last != null && !last.isStale(before)) {
      return;
    }
    // Taken to be true when it arrives: our time is then a little late but never early, and no
    // event is delivered before it is due.
    Instant time = store.currentTime(conn).orElseGet(clock::instant);
    long after = monotonicNanos();
    learn(new Answer(time, after, after - before > SLOW_ANSWER_NANOS), after - before);
  }

  /** What another thread has heard meanwhile counts, too. */
  private synchronized void learn(Answer fresh, long tookNanos) {
    Answer last = answer;
    if (last == null || !fresh.slow || isBetter(fresh, tookNanos, last)) {
      answer = fresh;
    }
  }

  /**
   * The longer an answer took, the less it is known when it was true: it is of use only if the last
   * one was slow or is old, and cannot be right. Else it would set our time back, and leases would
   * seem to last longer than others think.
   */
  private static boolean isBetter(Answer fresh, long tookNanos, Answer last) {
    long asked = fresh.monotonicNanos - tookNanos;
    Duration ahead = Duration.between(fresh.databaseTime, last.at(fresh.monotonicNanos));
    boolean mayBeRight = !ahead.isNegative() && ahead.compareTo(Duration.ofNanos(tookNanos)) <= 0;
    return (last.slow || last.isOld(asked)) && !mayBeRight;
  }

  private long monotonicNanos() {
    if (system) {
      return System.nanoTime();
    }
    Instant now = clock.instant();
    return Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
  }
}
