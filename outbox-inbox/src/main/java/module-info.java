/** Lets consumers process every event once, over JDBC. */
module io.outbox.inbox {
  requires transitive io.outbox.core;
  requires static transitive kafka.clients;

  exports io.outbox.inbox;

  opens schema.inbox;
}
