package io.outbox.inbox;

import java.time.Instant;

/** Whose transactions the inbox works in. */
interface Transactions {

  /** Runs {@code action} unless {@code entry} is known; both are committed together or not. */
  <X extends Exception> boolean processOnce(InboxEntry entry, InboxAction<X> action) throws X;

  int purge(Instant before, int limit);
}
