/** A process of its own that brings the events of outbox tables to brokers. */
package io.outbox.relay;
