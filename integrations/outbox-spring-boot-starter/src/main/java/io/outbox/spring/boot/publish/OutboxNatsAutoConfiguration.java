package io.outbox.spring.boot.publish;

import io.nats.client.Options;
import io.outbox.Outbox;
import io.outbox.nats.NatsPublisher;
import io.outbox.publish.Destination;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.wiring.BootSettings;
import io.outbox.wiring.Property;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Publishes to NATS, if {@code outbox.nats.destination} says to which subject. */
@AutoConfiguration(
    after = OutboxAutoConfiguration.class,
    before = OutboxPublisherAutoConfiguration.class)
@ConditionalOnClass({NatsPublisher.class, Options.class})
@ConditionalOnBean(Outbox.class)
@ConditionalOnProperty("outbox.nats.destination")
@EnableConfigurationProperties(OutboxNatsProperties.class)
public class OutboxNatsAutoConfiguration {

  private static final String PREFIX = "outbox.nats";

  OutboxNatsAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  NatsPublisher outboxNatsPublisher(
      OutboxNatsProperties properties, ObjectProvider<Options> options) {
    NatsPublisher.Builder builder =
        NatsPublisher.builder()
            .destination(PublisherRegistration.destination(PREFIX, properties))
            .format(PublisherRegistration.format(PREFIX, properties));
    if (!properties.isJetStream()) {
      builder.coreNats();
    }
    Property.applying(
        PREFIX + ".ack-timeout", () -> builder.ackTimeout(properties.getAckTimeout()));
    if (properties.getServers().isEmpty()) {
      Options shared = options.getIfUnique();
      if (shared == null) {
        throw BootSettings.nowhere(PREFIX, PREFIX + ".servers", "a bean of io.nats.client.Options");
      }
      builder.options(shared);
    } else {
      Property.applying(
          PREFIX + ".servers",
          () -> builder.server(properties.getServers().toArray(String[]::new)));
    }
    return builder.build();
  }

  @Bean
  PublisherRegistration outboxNatsRegistration(
      OutboxNatsProperties properties, NatsPublisher publisher) {
    Destination deadLetters = PublisherRegistration.deadLetterDestination(PREFIX, properties);
    return new PublisherRegistration(
        PREFIX,
        "nats",
        PublisherRegistration.destination(PREFIX, properties),
        properties,
        publisher,
        deadLetters == null ? null : publisher.deadLetters(deadLetters));
  }
}
