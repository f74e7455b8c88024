package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.internal.WaitingMark;
import io.outbox.model.EventRef;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Changes events that are pending and still leased as the caller saw them. Rows are locked before
 * they are changed, and rows that somebody else has locked are passed over.
 */
public interface LeaseWrites {

  /** A change that leaves an event pending. */
  enum Change {
    RENEW("locked_at = ?"),
    RELEASE("locked_by = NULL, locked_at = NULL, claims = GREATEST(claims - 1, 0)"),
    START("starts = starts + 1");

    private final String set;

    Change(String set) {
      this.set = set;
    }

    /** Who renews a lease has held an event for a while. */
    String set(boolean waiting) {
      return waiting && this == RENEW ? WaitingMark.SET + set : set;
    }
  }

  /** Writes outcomes of different events; returns the ids of those that could not be written. */
  Set<String> write(Connection conn, List<Outcome> outcomes);

  /** Whether {@link #write} of these is one statement, of which no other has to be sent along. */
  default boolean isOneStatement(List<Outcome> outcomes) {
    return false;
  }

  /** Makes a change; returns the ids of the events that were changed. */
  Set<String> change(
      Connection conn, Change change, Collection<EventRef> refs, List<Object> params);

  /** Reads without locking. */
  List<RowState> read(Connection conn, Collection<String> eventIds);
}
