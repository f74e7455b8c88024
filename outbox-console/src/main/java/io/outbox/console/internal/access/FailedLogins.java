package io.outbox.console.internal.access;

import io.outbox.console.internal.http.HttpFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes guessing slow: so many wrong secrets from an address, and so many in all, then a pause. */
final class FailedLogins {

  static final int PER_ADDRESS = 10;
  static final int IN_ALL = 200;
  static final Duration WINDOW = Duration.ofMinutes(5);
  private static final int MAX_ADDRESSES = 1000;
  private static final String ALL = "";

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

  /** Throws if there were too many; a right secret is not even looked at then. */
  synchronized void check(String address) {
    if (recent(address).count() >= PER_ADDRESS || recent(ALL).count() >= IN_ALL) {
      throw new HttpFailure(
          429,
          "Too many failed attempts to sign in. Try again in " + WINDOW.toMinutes() + " minutes.");
    }
  }

  synchronized void count(String address) {
    for (String each : new String[] {address, ALL}) {
      Failures before = recent(each);
      byAddress.put(each, new Failures(before.count() + 1, before.since()));
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
