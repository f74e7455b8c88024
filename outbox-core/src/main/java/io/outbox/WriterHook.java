package io.outbox;

import io.outbox.spi.NewEvent;
import java.util.List;

/**
 * Called by the writer for each batch: {@code beforeWrite}, {@code beforeInsert}, the insert,
 * {@code afterWrite}, and then, when the transaction ends, {@code afterCommit} or {@code
 * afterRollback}. If the insert itself fails, {@code insertFailed} is called at once, and nothing
 * after it.
 *
 * <p>Only what {@code beforeWrite} throws reaches the caller of the writer; the other methods'
 * exceptions are logged.
 */
public interface WriterHook {

  /** Does nothing. */
  WriterHook NOOP = new WriterHook() {};

  /**
   * May replace the events to write.
   *
   * @return what to write; null or empty suppresses the write
   */
  default List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
    return events;
  }

  /**
   * Decides which rows are inserted with a lease. Only a hook that delivers overrides this.
   *
   * @return exactly one row per event, in the same order
   */
  default List<NewEvent> beforeInsert(List<EventEnvelope> events) {
    return events.stream().map(NewEvent::unleased).toList();
  }

  /** The rows that {@code beforeInsert} returned are not in the database. */
  default void insertFailed(List<NewEvent> rows) {}

  /** The rows are in the database, but not committed. */
  default void afterWrite(List<EventEnvelope> events) {}

  /** The transaction has committed. Runs on the caller's thread: no I/O here. */
  default void afterCommit(List<EventEnvelope> events) {}

  /** The rows were rolled back, or the outcome of the commit is unknown. */
  default void afterRollback(List<EventEnvelope> events) {}
}
