package io.outbox.spring.boot.publish;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The properties {@code outbox.kafka.*}; the destination is a topic. */
@ConfigurationProperties(prefix = "outbox.kafka")
public class OutboxKafkaProperties extends PublisherProperties {

  /**
   * Where Kafka is. By default as spring.kafka says, together with spring.kafka.properties,
   * spring.kafka.producer.properties and spring.kafka.security.protocol.
   */
  private List<String> bootstrapServers = List.of();

  /** Further settings of the producer, by Kafka's own names. */
  private final Map<String, String> properties = new LinkedHashMap<>();

  /** How long a worker waits while the topic is not known yet or the producer's buffer is full. */
  private Duration maxBlock = Duration.ofSeconds(2);

  /** How long Kafka's client tries to deliver, before that is an outage. */
  private Duration deliveryTimeout = Duration.ofSeconds(10);

  public List<String> getBootstrapServers() {
    return bootstrapServers;
  }

  public void setBootstrapServers(List<String> bootstrapServers) {
    this.bootstrapServers = bootstrapServers;
  }

  public Map<String, String> getProperties() {
    return properties;
  }

  public Duration getMaxBlock() {
    return maxBlock;
  }

  public void setMaxBlock(Duration maxBlock) {
    this.maxBlock = maxBlock;
  }

  public Duration getDeliveryTimeout() {
    return deliveryTimeout;
  }

  public void setDeliveryTimeout(Duration deliveryTimeout) {
    this.deliveryTimeout = deliveryTimeout;
  }
}
