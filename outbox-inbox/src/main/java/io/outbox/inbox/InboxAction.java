package io.outbox.inbox;

import java.sql.Connection;

/**
 * What is done for an event, in the transaction that remembers it.
 *
 * @param <X> what it may throw
 */
@FunctionalInterface
public interface InboxAction<X extends Exception> {

  /**
   * Does it.
   *
   * @param conn the connection of the transaction; not to be committed, rolled back or closed
   */
  void run(Connection conn) throws X;
}
