package io.outbox.operate;

import io.outbox.internal.time.StorableTime;
import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** An action of an operator on events. Events to which it does not apply stay unchanged. */
public sealed interface OperatorAction {

  /** One word, kept in the audit. */
  default String name() {
    return getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  /** Only events of these statuses are changed; pending ones, unless an action says otherwise. */
  default Set<EventStatus> appliesTo() {
    return Set.of(EventStatus.NEW, EventStatus.RETRY);
  }

  /** Whether the action would change this event. */
  default boolean appliesTo(EventSummary event) {
    return appliesTo().contains(event.status());
  }

  /** Further text for the audit; may be empty. */
  default String detail() {
    return "";
  }

  /** DONE or DEAD events get a new life: NEW, without attempts, available now. */
  record Replay() implements OperatorAction {
    @Override
    public Set<EventStatus> appliesTo() {
      return Set.of(EventStatus.DONE, EventStatus.DEAD);
    }
  }

  /**
   * Pending events become DEAD. An event that a node has already fetched may still reach its
   * listener, unless it is paused.
   *
   * @param reason kept as the event's error
   */
  record Kill(String reason) implements OperatorAction {
    public Kill {
      Objects.requireNonNull(reason, "reason");
    }

    @Override
    public String detail() {
      return reason;
    }
  }

  /**
   * Pending events without a lease become available at this time. In {@code singleNode()}, {@code
   * ordered()} and {@code orderedByKey()}, a node may have fetched an event already and deliver it
   * before that time. If the time is in the future, the outcome of that delivery is not written,
   * and the event is delivered at its time, too. Nodes do not fetch paused events.
   *
   * @param at from the year 1000 to 9999
   */
  record Reschedule(Instant at) implements OperatorAction {
    public Reschedule {
      StorableTime.require("the time", Objects.requireNonNull(at, "at"));
    }

    @Override
    public boolean appliesTo(EventSummary event) {
      return OperatorAction.super.appliesTo(event) && event.lockedBy() == null;
    }

    @Override
    public String detail() {
      return at.toString();
    }
  }

  /**
   * Takes pending events from the node that has leased them. If that node is alive after all, they
   * may be delivered twice; its outcome is not written.
   */
  record Release() implements OperatorAction {
    @Override
    public boolean appliesTo(EventSummary event) {
      return OperatorAction.super.appliesTo(event) && event.lockedBy() != null;
    }
  }

  /** Deletes DONE and DEAD events. */
  record Purge() implements OperatorAction {
    @Override
    public Set<EventStatus> appliesTo() {
      return Set.of(EventStatus.DONE, EventStatus.DEAD);
    }
  }
}
