package io.outbox.operate;

import java.time.Instant;
import java.util.Objects;

/**
 * Something about this node that its operator should know and that is true now.
 *
 * @param since by the database's time, where it is known
 * @param message the fact, its cause and the remedy
 */
public record Condition(Kind kind, Instant since, String message) {

  /** The kinds of conditions. Later versions may have more. */
  public enum Kind {
    /** The node cannot work: a database call hangs, or the pool has no free connection. */
    CANNOT_WORK(true),

    /**
     * Nodes of another mode deliver from the table, so this one only writes. Not a failure:
     * otherwise a rolling deployment that waits for healthy nodes would never stop the old ones.
     */
    WAITS_FOR_OTHER_MODE(false),

    /** Another process delivers from the table, in a single-process mode. */
    SECOND_PROCESS(false),

    /** Nodes cannot notify each other of commits; they find events a little later. */
    NO_NOTIFICATIONS(false),

    /**
     * This node has no listener for some events, which wait for a node with one. Not a failure: in
     * a rolling deployment old nodes do not know new types.
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
