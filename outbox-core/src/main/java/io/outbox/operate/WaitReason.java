package io.outbox.operate;

import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;

/**
 * The reason why one event waits.
 *
 * @param what goes on after "waits for", for people; may contain text that others wrote
 * @param since when that began; null if it does not matter
 * @param until when it ends or is tried next; null if that is unknown
 */
public record WaitReason(Kind kind, String what, Instant since, Instant until) {

  /** The reasons to wait. Later versions may have more. */
  public enum Kind {
    /** A node has it, and delivers it or will. */
    LEASED("until"),
    /** An operator has halted its delivery. */
    PAUSED("until"),
    /** Its key is blocked by an event that is DEAD. */
    KEY_BLOCKED("until"),
    /** No node has a listener for it. */
    NO_LISTENER("until"),
    /** Its listener, or the destination, is down. */
    OUTAGE("next trial at"),
    /** It failed or was deferred, and is tried again. */
    RETRY("at"),
    /** Its listener's policy holds it back: no place, or the rate limit. */
    BUSY("until"),
    /** It is not due yet. */
    DELAYED("until"),
    /** It is due, and an event that is delivered before it waits for something. */
    BEHIND("until"),
    /** It is due, and no known node delivers. */
    NO_NODE("until"),
    /** It is due, and waits only for earlier events. */
    TURN("until");

    private final String untilWord;

    Kind(String untilWord) {
      this.untilWord = untilWord;
    }

    /** Whether someone has to act, or something to come back or get free, before its delivery. */
    public boolean isObstacle() {
      return switch (this) {
        case PAUSED, KEY_BLOCKED, NO_LISTENER, OUTAGE, BUSY, BEHIND, NO_NODE -> true;
        case LEASED, RETRY, DELAYED, TURN -> false;
      };
    }
  }

  public WaitReason {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(what, "what");
  }

  /**
   * With its times, for people.
   *
   * @param time how to write a time
   */
  public String text(Function<Instant, String> time) {
    return what
        + (since == null ? "" : ", since " + time.apply(since))
        + (until == null ? "" : ", " + kind.untilWord + " " + time.apply(until));
  }
}
