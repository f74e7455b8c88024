/** Publishes events to NATS JetStream, or to core NATS. */
module io.outbox.nats {
  requires transitive io.outbox.core;
  requires transitive io.nats.jnats;

  exports io.outbox.nats;
}
