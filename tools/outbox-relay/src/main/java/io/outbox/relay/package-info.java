/** A separate process that publishes the events of outbox tables to brokers. */
package io.outbox.relay;
