package io.outbox.console.internal.access;

import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Makes guessing slow: after some wrong secrets from an address, its next ones are only looked at
 * after a while, one after the other. Nobody is locked out: a right one passes, then as well.
 * Thread-safe.
 */
final class FailedLogins {

  static final int FREE = 5;
  static final Duration LONGEST = Duration.ofSeconds(5);
  static final Duration WINDOW = Duration.ofMinutes(5);

  /** A turn that would come later than this is none. */
  static final Duration PATIENCE = LONGEST.multipliedBy(2);

  /** While too many wait, one more is looked at in this time: it could be the right one. */
  static final Duration BESIDE = Duration.ofMillis(100);

  private static final Logger LOG = PrintableLogger.of(FailedLogins.class);
  private static final Duration FIRST = Duration.ofMillis(250);
  private static final int MAX_ADDRESSES = 1000;

  /**
   * What an address has tried.
   *
   * @param lastTurn when the last one that waits is looked at
   * @param lastBeside when one was looked at beside those that wait
   */
  private record Failures(int count, Instant since, Instant lastTurn, Instant lastBeside) {}

  private final InstantSource clock;
  private final Map<String, Failures> byAddress =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
          return size() > MAX_ADDRESSES;
        }
      };

  FailedLogins(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * How long the next secret from this address has to wait: those that wait take turns, at
   * distances that every failure doubles. Empty if too many wait.
   */
  synchronized Optional<Duration> takeTurn(String address) {
    Failures tried = recent(address);
    int beyond = tried.count() - FREE;
    if (beyond < 0) {
      return Optional.of(Duration.ZERO);
    }
    Instant now = clock.instant();
    Instant turn = later(now, tried.lastTurn()).plus(distance(beyond));
    if (!turn.isAfter(now.plus(PATIENCE))) {
      byAddress.put(address, new Failures(tried.count(), tried.since(), turn, tried.lastBeside()));
      return Optional.of(Duration.between(now, turn));
    }
    if (tried.lastBeside().plus(BESIDE).isAfter(now)) {
      return Optional.empty();
    }
    byAddress.put(address, new Failures(tried.count(), tried.since(), tried.lastTurn(), now));
    return Optional.of(Duration.ZERO);
  }

  private static Duration distance(int beyond) {
    Duration distance = FIRST.multipliedBy(1L << Math.min(beyond, 10));
    return distance.compareTo(LONGEST) < 0 ? distance : LONGEST;
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  synchronized void count(String address) {
    Failures before = recent(address);
    int count = before.count() + 1;
    byAddress.put(
        address, new Failures(count, before.since(), before.lastTurn(), before.lastBeside()));
    if (count == 10 || count == 100 || count % 1000 == 0) {
      LOG.log(
          Level.WARNING,
          () -> count + " wrong tokens or passwords from " + address + " since " + before.since());
    }
  }

  private Failures recent(String address) {
    Instant now = clock.instant();
    Failures failures = byAddress.get(address);
    return failures == null || failures.since().plus(WINDOW).isBefore(now)
        ? new Failures(0, now, Instant.EPOCH, Instant.EPOCH)
        : failures;
  }
}
