/** Publishes events to NATS JetStream, or to core NATS. */
package io.outbox.nats;
