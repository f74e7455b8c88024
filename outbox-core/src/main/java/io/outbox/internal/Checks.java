package io.outbox.internal;

import io.outbox.spi.OutboxStore;
import java.time.Duration;
import java.util.Objects;

/** Checks of settings, with one wording for all of them. */
public final class Checks {

  /** No instant is further away in a table than this, and an arithmetic with more overflows. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private static final Duration LONGEST_CLAIM = Duration.ofDays(365);

  private Checks() {}

  public static int atLeast(int min, String what, int value) {
    return (int) atLeast((long) min, what, value);
  }

  public static long atLeast(long min, String what, long value) {
    if (value < min) {
      throw new IllegalArgumentException(what + " must be at least " + min + ", but is " + value);
    }
    return value;
  }

  public static Duration notNegative(String what, Duration value) {
    if (Objects.requireNonNull(value, what).isNegative()) {
      throw new IllegalArgumentException(what + " must not be negative, but is " + value);
    }
    return atMost(LONGEST, what, value);
  }

  public static Duration positive(String what, Duration value) {
    if (notNegative(what, value).isZero()) {
      throw new IllegalArgumentException(what + " must be longer than zero");
    }
    return value;
  }

  /** The claim timeout and the lease renewals made from it need some room. */
  public static Duration claimTimeout(Duration value) {
    if (positive("the claim timeout", value).compareTo(Duration.ofMillis(100)) < 0) {
      throw new IllegalArgumentException(
          "the claim timeout must be at least 100 ms, but is " + value);
    }
    return atMost(LONGEST_CLAIM, "the claim timeout", value);
  }

  private static Duration atMost(Duration max, String what, Duration value) {
    if (value.compareTo(max) > 0) {
      throw new IllegalArgumentException(
          what + " must be at most " + max.toDays() + " days, but is " + value);
    }
    return value;
  }

  public static void deleteOnDone(boolean wanted, OutboxStore store) {
    if (wanted && !store.supportsDeletes()) {
      throw new IllegalStateException(
          "deleteOnDone needs a store that can delete, but supportsDeletes() of "
              + store.getClass().getName()
              + " says no: implement it and recordOutcomes, or keep events as DONE and give the"
              + " outbox a purger");
    }
  }

  public static <T> T required(String what, T value) {
    return Objects.requireNonNull(value, () -> what + " is required: set it before build()");
  }

  /** Shorter leases end while a node only collects garbage. */
  public static Duration laneLease(Duration value) {
    Objects.requireNonNull(value, "laneLease");
    if (value.compareTo(Duration.ofMillis(500)) < 0 || value.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "laneLease must be between half a second and an hour, not " + value);
    }
    return value;
  }
}
