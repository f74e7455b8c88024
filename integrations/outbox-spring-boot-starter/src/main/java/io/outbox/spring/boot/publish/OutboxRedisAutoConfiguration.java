package io.outbox.spring.boot.publish;

import io.lettuce.core.RedisURI;
import io.outbox.Outbox;
import io.outbox.publish.Destination;
import io.outbox.redis.RedisPublisher;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.wiring.BootSettings;
import io.outbox.wiring.Property;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Publishes to Redis Streams, if {@code outbox.redis.destination} says to which stream. */
@AutoConfiguration(
    after = OutboxAutoConfiguration.class,
    before = OutboxPublisherAutoConfiguration.class)
@ConditionalOnClass({RedisPublisher.class, RedisURI.class})
@ConditionalOnBean(Outbox.class)
@ConditionalOnProperty("outbox.redis.destination")
@EnableConfigurationProperties(OutboxRedisProperties.class)
public class OutboxRedisAutoConfiguration {

  private static final String PREFIX = "outbox.redis";
  private static final String BOOT = "spring.data.redis";

  OutboxRedisAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  RedisPublisher outboxRedisPublisher(OutboxRedisProperties properties, Environment environment) {
    RedisPublisher.Builder builder =
        RedisPublisher.builder()
            .destination(PublisherRegistration.destination(PREFIX, properties))
            .format(PublisherRegistration.format(PREFIX, properties));
    Property.applying(PREFIX + ".max-length", () -> builder.maxLength(properties.getMaxLength()));
    Property.applying(
        PREFIX + ".payload-field", () -> builder.payloadField(properties.getPayloadField()));
    Property.applying(PREFIX + ".timeout", () -> builder.timeout(properties.getTimeout()));
    if (StringUtils.hasText(properties.getUri())) {
      Property.applying(PREFIX + ".uri", () -> builder.uri(properties.getUri()));
    } else {
      connectAsBoot(builder, new BootSettings(environment));
    }
    return builder.build();
  }

  private static void connectAsBoot(RedisPublisher.Builder builder, BootSettings boot) {
    String url = boot.text(BOOT + ".url");
    if (url != null) {
      Property.applying(BOOT + ".url", () -> builder.uri(url));
      return;
    }
    String host = boot.text(BOOT + ".host");
    if (host == null) {
      throw BootSettings.nowhere(PREFIX, PREFIX + ".uri", BOOT + ".host");
    }
    RedisURI.Builder uri =
        RedisURI.builder()
            .withHost(host)
            .withPort(boot.value(BOOT + ".port", Integer.class, 6379))
            .withDatabase(boot.value(BOOT + ".database", Integer.class, 0))
            .withSsl(boot.value(BOOT + ".ssl.enabled", Boolean.class, false));
    String user = boot.text(BOOT + ".username");
    String password = boot.text(BOOT + ".password");
    if (user != null && password != null) {
      uri.withAuthentication(user, password.toCharArray());
    } else if (password != null) {
      uri.withPassword(password.toCharArray());
    }
    builder.uri(uri.build());
  }

  @Bean
  PublisherRegistration outboxRedisRegistration(
      OutboxRedisProperties properties, RedisPublisher publisher) {
    Destination deadLetters = PublisherRegistration.deadLetterDestination(PREFIX, properties);
    return new PublisherRegistration(
        PREFIX,
        "redis",
        PublisherRegistration.destination(PREFIX, properties),
        properties,
        publisher,
        deadLetters == null ? null : publisher.deadLetters(deadLetters));
  }
}
