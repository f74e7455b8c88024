package io.outbox.internal;

import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.spi.NewEvent;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A hook that keeps of a batch only what it needs at the end of the transaction: memory must not
 * grow with the transaction. A hook of a user's own keeps every event.
 */
public interface BatchHook extends WriterHook {

  /** Called instead of {@code afterWrite}; what it returns replaces the calls at the end. */
  Batch inserted(List<EventEnvelope> events);

  /**
   * A hook that leases no rows and holds no places in memory, but has delivery look at the table
   * after the commit.
   */
  default BatchHook withoutMemory() {
    return this;
  }

  /**
   * Delivers copies of an event before their rows are written; null if those are written first.
   *
   * @param eventId of an event that is being delivered
   */
  default Ahead ahead(String eventId) {
    return null;
  }

  /**
   * Events that are delivered while their rows are not written. Most end soon, and are then written
   * once, as finished. Offers, rows and what follows belong to one thread.
   */
  interface Ahead {

    /** Whether no delivery of the event can have begun before: no copy has a row. */
    boolean isFirst();

    /** Delivers an event; false if its row is to be written first. */
    boolean offer(EventEnvelope event);

    /** Calls {@code told} when all that were offered have ended, perhaps at once. */
    void whenEnded(Runnable told);

    /**
     * The rows as they are to be written now.
     *
     * @param there those that are there already
     * @param ours whether those may be from an earlier try that got no answer
     */
    Rows rows(Set<String> there, boolean ours);

    /** Those rows are committed: from now on they are like all others. */
    void written();

    /** The row of this event will not be written. */
    void refused(EventEnvelope event);
  }

  /**
   * Rows of events that were delivered ahead of them.
   *
   * @param doneAt of those that are finished
   */
  record Rows(List<EventEnvelope> finished, Instant doneAt, List<NewEvent> pending) {}

  /** What is left to do for a batch. Belongs to the thread of its transaction. */
  interface Batch {

    void committed();

    void rolledBack();

    /** The events that are to be delivered from memory. */
    default Collection<String> idsInMemory() {
      return List.of();
    }

    /** Right before the commit these of them were in the table, and the others were not. */
    default void found(Set<String> ids) {}
  }
}
