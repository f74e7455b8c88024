/** Publishes events to Redis Streams. */
module io.outbox.redis {
  requires transitive io.outbox.core;
  requires transitive lettuce.core;

  exports io.outbox.redis;
}
