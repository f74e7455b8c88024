package io.outbox.internal;

/** Aggregate types that are reserved for copies of events for subscriptions. */
public final class ReservedType {

  /** Between the event's aggregate type and the subscription's name. */
  public static final String MARK = "@@";

  private ReservedType() {}

  /** Whether it may be one; nobody else should use such a type. */
  public static boolean isMarked(String aggregateType) {
    return aggregateType.contains(MARK);
  }
}
