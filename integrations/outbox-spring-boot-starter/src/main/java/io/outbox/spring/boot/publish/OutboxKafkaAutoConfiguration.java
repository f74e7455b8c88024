package io.outbox.spring.boot.publish;

import io.outbox.Outbox;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.publish.Destination;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.wiring.BootSettings;
import io.outbox.wiring.Property;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Publishes to Kafka, if {@code outbox.kafka.destination} says to which topic. */
@AutoConfiguration(
    after = OutboxAutoConfiguration.class,
    before = OutboxPublisherAutoConfiguration.class)
@ConditionalOnClass({KafkaPublisher.class, KafkaProducer.class})
@ConditionalOnBean(Outbox.class)
@ConditionalOnProperty("outbox.kafka.destination")
@EnableConfigurationProperties(OutboxKafkaProperties.class)
public class OutboxKafkaAutoConfiguration {

  private static final String PREFIX = "outbox.kafka";

  OutboxKafkaAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  KafkaPublisher outboxKafkaPublisher(OutboxKafkaProperties properties, Environment environment) {
    KafkaPublisher.Builder builder =
        KafkaPublisher.builder()
            .destination(PublisherRegistration.destination(PREFIX, properties))
            .format(PublisherRegistration.format(PREFIX, properties))
            .producerConfig(producerConfig(properties, new BootSettings(environment)));
    Property.applying(PREFIX + ".max-block", () -> builder.maxBlock(properties.getMaxBlock()));
    Property.applying(
        PREFIX + ".delivery-timeout",
        () -> builder.deliveryTimeout(properties.getDeliveryTimeout()));
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw Property.invalid(PREFIX + ".properties", e);
    }
  }

  /** The connection of {@code spring.kafka} only if there is none of the outbox's own. */
  private static Map<String, String> producerConfig(
      OutboxKafkaProperties properties, BootSettings boot) {
    Map<String, String> config = new LinkedHashMap<>();
    List<String> servers = properties.getBootstrapServers();
    if (servers.isEmpty()) {
      servers = boot.texts("spring.kafka.producer.bootstrap-servers");
      if (servers.isEmpty()) {
        servers = boot.texts("spring.kafka.bootstrap-servers");
      }
      if (servers.isEmpty()) {
        throw BootSettings.nowhere(
            PREFIX, PREFIX + ".bootstrap-servers", "spring.kafka.bootstrap-servers");
      }
      config.putAll(boot.map("spring.kafka.properties"));
      config.putAll(boot.map("spring.kafka.producer.properties"));
      String protocol = boot.text("spring.kafka.security.protocol");
      if (protocol != null) {
        config.put("security.protocol", protocol);
      }
    }
    config.put("bootstrap.servers", String.join(",", servers));
    config.putAll(properties.getProperties());
    return config;
  }

  @Bean
  PublisherRegistration outboxKafkaRegistration(
      OutboxKafkaProperties properties, KafkaPublisher publisher) {
    Destination deadLetters = PublisherRegistration.deadLetterDestination(PREFIX, properties);
    return new PublisherRegistration(
        PREFIX,
        "kafka",
        PublisherRegistration.destination(PREFIX, properties),
        properties,
        publisher,
        deadLetters == null ? null : publisher.deadLetters(deadLetters));
  }
}
