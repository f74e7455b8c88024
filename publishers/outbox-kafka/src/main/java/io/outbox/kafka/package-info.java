/** Publishes events to Apache Kafka. */
package io.outbox.kafka;
