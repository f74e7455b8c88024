package io.outbox.spring.boot.publish;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The properties {@code outbox.rabbitmq.*}; the destination is an exchange. */
@ConfigurationProperties(prefix = "outbox.rabbitmq")
public class OutboxRabbitMqProperties extends PublisherProperties {

  /**
   * Where RabbitMQ is, as amqp://user:password@host:port/vhost. By default as spring.rabbitmq says:
   * addresses or host and port, username, password, virtual-host and ssl.enabled.
   */
  private String uri;

  /** The routing key, with values of the event in braces. */
  private String routingKey = "{eventType}";

  /** Whether an event is done only if a queue takes it; otherwise it is done, and may be lost. */
  private boolean mandatory = true;

  /** Whether an event that no queue takes is DEAD at once; otherwise it is retried. */
  private boolean unroutableIsDead;

  /** How long to wait for a connection or a confirm, before that is an outage. */
  private Duration confirmTimeout = Duration.ofSeconds(10);

  public String getUri() {
    return uri;
  }

  public void setUri(String uri) {
    this.uri = uri;
  }

  public String getRoutingKey() {
    return routingKey;
  }

  public void setRoutingKey(String routingKey) {
    this.routingKey = routingKey;
  }

  public boolean isMandatory() {
    return mandatory;
  }

  public void setMandatory(boolean mandatory) {
    this.mandatory = mandatory;
  }

  public boolean isUnroutableIsDead() {
    return unroutableIsDead;
  }

  public void setUnroutableIsDead(boolean unroutableIsDead) {
    this.unroutableIsDead = unroutableIsDead;
  }

  public Duration getConfirmTimeout() {
    return confirmTimeout;
  }

  public void setConfirmTimeout(Duration confirmTimeout) {
    this.confirmTimeout = confirmTimeout;
  }
}
