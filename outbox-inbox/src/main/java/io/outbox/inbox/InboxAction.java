package io.outbox.inbox;

import java.sql.Connection;

/**
 * The work for an event, in the transaction that remembers it.
 *
 * @param <X> what it may throw
 */
@FunctionalInterface
public interface InboxAction<X extends Exception> {

  /**
   * Does the work.
   *
   * @param conn the connection of the transaction; do not commit, roll back or close it
   */
  void run(Connection conn) throws X;
}
