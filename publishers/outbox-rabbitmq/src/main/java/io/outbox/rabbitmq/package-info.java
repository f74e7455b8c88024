/** Publishes events to RabbitMQ. */
package io.outbox.rabbitmq;
