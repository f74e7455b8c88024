package io.outbox.spring.boot;

import io.outbox.Outbox;
import io.outbox.http.HttpPublisher;
import io.outbox.publish.Destination;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.util.StringUtils;

/** Publishes by HTTP, if {@code outbox.http.destination} says to which address. */
@AutoConfiguration(
    after = OutboxAutoConfiguration.class,
    before = OutboxPublisherAutoConfiguration.class)
@ConditionalOnClass(HttpPublisher.class)
@ConditionalOnBean(Outbox.class)
@ConditionalOnProperty("outbox.http.destination")
@EnableConfigurationProperties(OutboxHttpProperties.class)
public class OutboxHttpAutoConfiguration {

  private static final String PREFIX = "outbox.http";

  OutboxHttpAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  HttpPublisher outboxHttpPublisher(OutboxHttpProperties properties) {
    HttpPublisher.Builder builder =
        HttpPublisher.builder().format(PublisherRegistration.format(PREFIX, properties));
    OutboxBuilders.applying(
        PREFIX + ".destination", () -> builder.destination(properties.getDestination()));
    properties
        .getHeaders()
        .forEach(
            (name, value) ->
                OutboxBuilders.applying(
                    PREFIX + ".headers." + name, () -> builder.header(name, value)));
    if (StringUtils.hasText(properties.getSigningSecret())) {
      OutboxBuilders.applying(
          PREFIX + ".signing-secret", () -> builder.signWith(properties.getSigningSecret()));
    }
    OutboxBuilders.applying(
        PREFIX + ".connect-timeout", () -> builder.connectTimeout(properties.getConnectTimeout()));
    OutboxBuilders.applying(
        PREFIX + ".request-timeout", () -> builder.requestTimeout(properties.getRequestTimeout()));
    OutboxBuilders.applying(
        PREFIX + ".max-retry-after", () -> builder.maxRetryAfter(properties.getMaxRetryAfter()));
    return builder.build();
  }

  @Bean
  PublisherRegistration outboxHttpRegistration(
      OutboxHttpProperties properties, HttpPublisher publisher) {
    Destination deadLetters = PublisherRegistration.deadLetterDestination(PREFIX, properties);
    return new PublisherRegistration(
        PREFIX,
        "http",
        properties,
        publisher,
        deadLetters == null ? null : publisher.deadLetters(deadLetters));
  }
}
