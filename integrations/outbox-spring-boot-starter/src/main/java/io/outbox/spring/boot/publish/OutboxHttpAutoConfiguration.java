package io.outbox.spring.boot.publish;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.http.HttpPublisher;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.wiring.Property;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  private static final Pattern HOST = Pattern.compile("//([^/?#]+)");

  OutboxHttpAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  HttpPublisher outboxHttpPublisher(OutboxHttpProperties properties) {
    HttpPublisher.Builder builder =
        HttpPublisher.builder().format(PublisherRegistration.format(PREFIX, properties));
    Property.applying(
        PREFIX + ".destination", () -> builder.destination(properties.getDestination()));
    properties
        .getHeaders()
        .forEach(
            (name, value) ->
                Property.applying(PREFIX + ".headers." + name, () -> builder.header(name, value)));
    if (StringUtils.hasText(properties.getSigningSecret())) {
      Property.applying(
          PREFIX + ".signing-secret", () -> builder.signWith(properties.getSigningSecret()));
    }
    Property.applying(
        PREFIX + ".connect-timeout", () -> builder.connectTimeout(properties.getConnectTimeout()));
    Property.applying(
        PREFIX + ".request-timeout", () -> builder.requestTimeout(properties.getRequestTimeout()));
    Property.applying(
        PREFIX + ".max-retry-after", () -> builder.maxRetryAfter(properties.getMaxRetryAfter()));
    Property.applying(
        PREFIX + ".outage-statuses",
        () -> builder.outageStatuses(properties.getOutageStatuses().toArray(Integer[]::new)));
    return builder.build();
  }

  @Bean
  PublisherRegistration outboxHttpRegistration(
      OutboxHttpProperties properties, HttpPublisher publisher) {
    // not the whole address, of which many a webhook's is a secret
    Matcher host = HOST.matcher(properties.getDestination());
    String shown = host.find() ? host.group(1) : "http";
    return new PublisherRegistration(
        PREFIX, "http", event -> shown, properties, publisher, deadLetters(properties, publisher));
  }

  /** By its own template, in which values are encoded. */
  private static BiConsumer<EventEnvelope, String> deadLetters(
      OutboxHttpProperties properties, HttpPublisher publisher) {
    String template = properties.getDeadLetterDestination();
    if (!StringUtils.hasText(template)) {
      return null;
    }
    try {
      return publisher.deadLetters(HttpPublisher.address(template));
    } catch (IllegalArgumentException e) {
      throw Property.invalid(PREFIX + ".dead-letter-destination", e);
    }
  }
}
