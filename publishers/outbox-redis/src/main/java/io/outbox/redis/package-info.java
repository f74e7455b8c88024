/** Publishes events to Redis Streams. */
package io.outbox.redis;
