package io.outbox.operate;

import io.outbox.model.EventStatus;
import java.util.Objects;

/**
 * The state of an event as operators see it: its {@link EventStatus}, with NEW and RETRY as one
 * state, and leased events apart.
 */
public enum LifecycleState {
  /** NEW or RETRY: waits for its first delivery or for the next attempt. */
  PENDING,
  /** NEW or RETRY: a node has leased it and is about to deliver it. */
  LEASED,
  /** Delivered. */
  DONE,
  /** Given up. */
  DEAD;

  /**
   * The state of a row.
   *
   * @param leased whether a node holds a lease on it
   */
  public static LifecycleState of(EventStatus status, boolean leased) {
    return switch (Objects.requireNonNull(status, "status")) {
      case NEW, RETRY -> leased ? LEASED : PENDING;
      case DONE -> DONE;
      case DEAD -> DEAD;
    };
  }
}
