/** From an order to a consumer that ignores duplicates, through Kafka; nothing to install. */
package io.outbox.samples.kafka;
