package io.outbox.model;

/** The state of a row, stored as {@link #code()}. */
public enum EventStatus {
  /** Waiting for its first delivery, or deferred by its listener. */
  NEW(0),
  /** Delivered. */
  DONE(1),
  /** Failed, waiting for the next attempt. */
  RETRY(2),
  /** Given up. */
  DEAD(3);

  private final int code;

  EventStatus(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /** Whether the event is waiting to be delivered. */
  public boolean isPending() {
    return this == NEW || this == RETRY;
  }

  /**
   * The status stored as {@code code}.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static EventStatus fromCode(int code) {
    return switch (code) {
      case 0 -> NEW;
      case 1 -> DONE;
      case 2 -> RETRY;
      case 3 -> DEAD;
      default ->
          throw new IllegalArgumentException(
              "unknown event status " + code + "; known are 0 NEW, 1 DONE, 2 RETRY, 3 DEAD");
    };
  }
}
