package io.outbox.console.internal.access;

import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes guessing slow: after some wrong secrets from an address, its next one is only looked at
 * after a while. Nobody is locked out: a right one passes, then as well. Thread-safe.
 */
final class FailedLogins {

  static final int FREE = 5;
  static final Duration LONGEST = Duration.ofSeconds(5);
  static final Duration WINDOW = Duration.ofMinutes(5);

  private static final Logger LOG = PrintableLogger.of(FailedLogins.class);
  private static final Duration FIRST = Duration.ofMillis(250);
  private static final int MAX_ADDRESSES = 1000;

  private record Failures(int count, Instant since) {}

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

  /** How long the next secret from this address has to wait, doubled by every failure. */
  synchronized Duration delay(String address) {
    int beyond = recent(address).count() - FREE;
    if (beyond < 0) {
      return Duration.ZERO;
    }
    Duration delay = FIRST.multipliedBy(1L << Math.min(beyond, 10));
    return delay.compareTo(LONGEST) < 0 ? delay : LONGEST;
  }

  synchronized void count(String address) {
    Failures before = recent(address);
    int count = before.count() + 1;
    byAddress.put(address, new Failures(count, before.since()));
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
        ? new Failures(0, now)
        : failures;
  }
}
