package io.outbox.operate;

import io.outbox.model.EventStatus;
import java.util.Objects;

/** Where an event is on its way, in an operator's words. */
public enum LifecycleState {
  /** Waits for its first delivery or for the next attempt. */
  PENDING,
  /** A node has leased it and is about to deliver it. */
  CLAIMED,
  /** Delivered. */
  PUBLISHED,
  /** Given up. */
  DEAD;

  /**
   * The state of a row.
   *
   * @param leased whether somebody holds a lease on it
   */
  public static LifecycleState of(EventStatus status, boolean leased) {
    return switch (Objects.requireNonNull(status, "status")) {
      case NEW, RETRY -> leased ? CLAIMED : PENDING;
      case DONE -> PUBLISHED;
      case DEAD -> DEAD;
    };
  }
}
