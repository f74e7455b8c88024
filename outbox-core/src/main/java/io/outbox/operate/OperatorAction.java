package io.outbox.operate;

import io.outbox.internal.time.StorableTime;
import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;

/** What an operator can do to events. An event to which it does not apply is left as it is. */
public sealed interface OperatorAction {

  /** One word, kept in the audit. */
  String name();

  /** Events of these are changed. */
  Set<EventStatus> appliesTo();

  /** Whether an event that is like this is changed. */
  default boolean appliesTo(EventSummary event) {
    return appliesTo().contains(event.status());
  }

  /** What is worth keeping in the audit beside name and filter; may be empty. */
  default String detail() {
    return "";
  }

  /** DONE or DEAD events get a new life: NEW, without attempts, available now. */
  record Replay() implements OperatorAction {
    @Override
    public String name() {
      return "replay";
    }

    @Override
    public Set<EventStatus> appliesTo() {
      return Set.of(EventStatus.DONE, EventStatus.DEAD);
    }
  }

  /**
   * Pending events become DEAD. One that a node has fetched may still reach its listener; what is
   * paused is fetched by none.
   *
   * @param reason kept as the event's error
   */
  record Kill(String reason) implements OperatorAction {
    public Kill {
      Objects.requireNonNull(reason, "reason");
    }

    @Override
    public String name() {
      return "kill";
    }

    @Override
    public Set<EventStatus> appliesTo() {
      return Set.of(EventStatus.NEW, EventStatus.RETRY);
    }

    @Override
    public String detail() {
      return reason;
    }
  }

  /**
   * Pending events that nobody has leased become available at this time. A node without leases
   * ({@code singleNode()}, {@code ordered()}, {@code orderedByKey()}) may have fetched one already;
   * it then delivers that one as if nothing had happened, and the event's outcome counts. What is
   * paused is fetched by none.
   *
   * @param at from the year 1000 to 9999
   */
  record Reschedule(Instant at) implements OperatorAction {
    public Reschedule {
      StorableTime.require("the time", Objects.requireNonNull(at, "at"));
    }

    @Override
    public String name() {
      return "reschedule";
    }

    @Override
    public Set<EventStatus> appliesTo() {
      return Set.of(EventStatus.NEW, EventStatus.RETRY);
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
    public String name() {
      return "release";
    }

    @Override
    public Set<EventStatus> appliesTo() {
      return Set.of(EventStatus.NEW, EventStatus.RETRY);
    }

    @Override
    public boolean appliesTo(EventSummary event) {
      return OperatorAction.super.appliesTo(event) && event.lockedBy() != null;
    }
  }

  /** Deletes DONE and DEAD events for good. */
  record Purge() implements OperatorAction {
    @Override
    public String name() {
      return "purge";
    }

    @Override
    public Set<EventStatus> appliesTo() {
      return Set.of(EventStatus.DONE, EventStatus.DEAD);
    }
  }
}
