package io.outbox.operate;

import java.time.Instant;
import java.util.Objects;

/**
 * Something about this node that its operator should know and that is true now.
 *
 * @param since by the database's time, where it is known
 * @param message what is the case, why, and what to do
 */
public record Condition(Kind kind, Instant since, String message) {

  /** What can be the case. There may be more kinds in later versions. */
  public enum Kind {
    /** The node cannot do its work: a database call hangs, or a pool has no connection to give. */
    CANNOT_WORK(true),

    /**
     * Nodes of another mode deliver from the table, so this one only writes. No failure: a rolling
     * deployment that waits for healthy nodes would otherwise never stop the old ones.
     */
    WAITS_FOR_OTHER_MODE(false),

    /** Another process delivers from the table, in a mode that is meant for one. */
    SECOND_PROCESS(false),

    /** Nodes cannot tell each other what was committed; it is found a little later. */
    NO_NOTIFICATIONS(false),

    /**
     * Events wait for a node that has a listener for them, for this one has none. No failure: in a
     * rolling deployment the old nodes know nothing of new types.
     */
    NO_LISTENER(false);

    private final boolean failure;

    Kind(boolean failure) {
      this.failure = failure;
    }

    /** Whether a health check should fail because of it. */
    public boolean isFailure() {
      return failure;
    }
  }

  public Condition {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(message, "message");
  }
}
