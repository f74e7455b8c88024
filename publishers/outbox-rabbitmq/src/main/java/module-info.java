/** Publishes events to RabbitMQ. */
module io.outbox.rabbitmq {
  requires transitive io.outbox.core;
  requires transitive com.rabbitmq.client;

  exports io.outbox.rabbitmq;
}
