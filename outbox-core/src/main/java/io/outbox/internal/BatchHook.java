package io.outbox.internal;

import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
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
