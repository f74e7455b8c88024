package io.outbox.benchmarks.contestant;

import java.sql.Connection;
import java.util.List;

/** A transaction of a contestant, as business code sees it. */
public interface Tx {

  /** For the business rows. */
  Connection connection() throws Exception;

  /** Writes an event with them. */
  void publish(Measured event) throws Exception;

  /** Writes events, at once if the library can. */
  default void publishAll(List<Measured> events) throws Exception {
    for (Measured event : events) {
      publish(event);
    }
  }

  /** What happens in a transaction. */
  @FunctionalInterface
  interface Work {
    void run(Tx tx) throws Exception;
  }
}
