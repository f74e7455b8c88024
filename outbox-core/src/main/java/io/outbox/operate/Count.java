package io.outbox.operate;

import java.util.Objects;

/** A number of events, and how exact it is: large tables are not counted to the end. */
public record Count(long value, Precision precision) {

  /** How exact a {@link Count} is. */
  public enum Precision {
    EXACT,
    /** There are this many or more. */
    AT_LEAST,
    /** From the database's statistics. */
    ESTIMATED
  }

  public Count {
    Objects.requireNonNull(precision, "precision");
  }

  public static Count exactly(long value) {
    return new Count(value, Precision.EXACT);
  }

  public static Count atLeast(long value) {
    return new Count(value, Precision.AT_LEAST);
  }

  public static Count about(long value) {
    return new Count(value, Precision.ESTIMATED);
  }

  /** A count that stopped at {@code cap}: exact below it. */
  public static Count upTo(long cap, long counted) {
    return counted < cap ? exactly(counted) : atLeast(cap);
  }

  /** For people: {@code 12}, {@code 1000+} or {@code ~250000}. */
  @Override
  public String toString() {
    return switch (precision) {
      case EXACT -> Long.toString(value);
      case AT_LEAST -> value + "+";
      case ESTIMATED -> "~" + value;
    };
  }
}
