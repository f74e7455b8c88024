package io.outbox.relay.broker;

import io.outbox.publish.Destination;
import java.util.Objects;

/**
 * Where a rule sends its events.
 *
 * @param template the destination as it is written
 * @param routingKey for RabbitMQ only; null for the broker's own
 */
public record Target(
    Broker broker, String template, Destination destination, Destination routingKey) {

  public Target {
    Objects.requireNonNull(broker, "broker");
    Objects.requireNonNull(template, "template");
    Objects.requireNonNull(destination, "destination");
  }
}
