package io.outbox.spring.boot.publish;

import io.outbox.Outbox;
import io.outbox.publish.Destination;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.sqs.SqsPublisher;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.Property;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.util.StringUtils;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;

/** Publishes to Amazon SQS, if {@code outbox.sqs.destination} says to which queue. */
@AutoConfiguration(
    after = OutboxAutoConfiguration.class,
    before = OutboxPublisherAutoConfiguration.class)
@ConditionalOnClass({SqsPublisher.class, SqsAsyncClient.class})
@ConditionalOnBean(Outbox.class)
@ConditionalOnProperty("outbox.sqs.destination")
@EnableConfigurationProperties(OutboxSqsProperties.class)
public class OutboxSqsAutoConfiguration {

  private static final String PREFIX = "outbox.sqs";

  OutboxSqsAutoConfiguration() {}

  /** With the application's own client, unless properties describe another. */
  @Bean
  @ConditionalOnMissingBean
  SqsPublisher outboxSqsPublisher(
      OutboxSqsProperties properties, ObjectProvider<SqsAsyncClient> client) {
    SqsPublisher.Builder builder =
        SqsPublisher.builder()
            .destination(PublisherRegistration.destination(PREFIX, properties))
            .format(PublisherRegistration.format(PREFIX, properties));
    Property.applying(PREFIX + ".timeout", () -> builder.timeout(properties.getTimeout()));
    boolean regional = StringUtils.hasText(properties.getRegion());
    if (regional) {
      builder.region(properties.getRegion());
    }
    if (properties.getEndpoint() != null) {
      builder.endpoint(properties.getEndpoint());
    } else if (!regional) {
      client.ifUnique(builder::client);
    }
    try {
      return builder.build();
    } catch (SdkClientException | IllegalArgumentException e) {
      throw new OutboxConfigurationException(
          "The property "
              + PREFIX
              + ".destination is set, but there is no client for it: "
              + e.getMessage(),
          "Set " + PREFIX + ".region, or declare an SqsAsyncClient bean.",
          e);
    }
  }

  @Bean
  PublisherRegistration outboxSqsRegistration(
      OutboxSqsProperties properties, SqsPublisher publisher) {
    Destination deadLetters = PublisherRegistration.deadLetterDestination(PREFIX, properties);
    return new PublisherRegistration(
        PREFIX,
        "aws_sqs",
        PublisherRegistration.destination(PREFIX, properties),
        properties,
        publisher,
        deadLetters == null ? null : publisher.deadLetters(deadLetters));
  }
}
