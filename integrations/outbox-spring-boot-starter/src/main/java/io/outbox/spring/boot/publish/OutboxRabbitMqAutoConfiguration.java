package io.outbox.spring.boot.publish;

import com.rabbitmq.client.ConnectionFactory;
import io.outbox.Outbox;
import io.outbox.publish.Destination;
import io.outbox.rabbitmq.RabbitMqPublisher;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.wiring.BootSettings;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.Property;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Publishes to RabbitMQ, if {@code outbox.rabbitmq.destination} says to which exchange. */
@AutoConfiguration(
    after = OutboxAutoConfiguration.class,
    before = OutboxPublisherAutoConfiguration.class)
@ConditionalOnClass({RabbitMqPublisher.class, ConnectionFactory.class})
@ConditionalOnBean(Outbox.class)
@ConditionalOnProperty("outbox.rabbitmq.destination")
@EnableConfigurationProperties(OutboxRabbitMqProperties.class)
public class OutboxRabbitMqAutoConfiguration {

  private static final String PREFIX = "outbox.rabbitmq";
  private static final String ADDRESSES = "spring.rabbitmq.addresses";

  OutboxRabbitMqAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  RabbitMqPublisher outboxRabbitMqPublisher(
      OutboxRabbitMqProperties properties, Environment environment) {
    RabbitMqPublisher.Builder builder =
        RabbitMqPublisher.builder()
            .destination(PublisherRegistration.destination(PREFIX, properties))
            .format(PublisherRegistration.format(PREFIX, properties))
            .mandatory(properties.isMandatory())
            .unroutableIsDead(properties.isUnroutableIsDead());
    Property.applying(
        PREFIX + ".routing-key", () -> builder.routingKey(properties.getRoutingKey()));
    Property.applying(
        PREFIX + ".confirm-timeout", () -> builder.confirmTimeout(properties.getConfirmTimeout()));
    if (StringUtils.hasText(properties.getUri())) {
      Property.applying(PREFIX + ".uri", () -> builder.uri(properties.getUri()));
    } else {
      connectAsBoot(builder, new BootSettings(environment));
    }
    return builder.build();
  }

  private static void connectAsBoot(RabbitMqPublisher.Builder builder, BootSettings boot) {
    String host = boot.text("spring.rabbitmq.host");
    List<String> addresses = boot.texts(ADDRESSES);
    if (host == null && addresses.isEmpty()) {
      throw BootSettings.nowhere(PREFIX, PREFIX + ".uri", "spring.rabbitmq.host");
    }
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUsername(boot.value("spring.rabbitmq.username", String.class, "guest"));
    factory.setPassword(boot.value("spring.rabbitmq.password", String.class, "guest"));
    factory.setVirtualHost(boot.value("spring.rabbitmq.virtual-host", String.class, "/"));
    if (addresses.stream().anyMatch(address -> address.contains("/") || address.contains("@"))) {
      connectTo(addresses, factory);
      builder.connectionFactory(factory);
      return;
    }
    boolean ssl = boot.value("spring.rabbitmq.ssl.enabled", Boolean.class, false);
    if (ssl) {
      useTls(factory);
    }
    if (addresses.isEmpty()) {
      factory.setHost(host);
      factory.setPort(boot.value("spring.rabbitmq.port", Integer.class, ssl ? 5671 : 5672));
    }
    builder.connectionFactory(factory);
    if (!addresses.isEmpty()) {
      Property.applying(ADDRESSES, () -> builder.addresses(String.join(",", addresses)));
    }
  }

  /** What a complete address leaves out is as the other properties say. */
  private static void connectTo(List<String> addresses, ConnectionFactory factory) {
    String only = addresses.get(0);
    if (addresses.size() > 1 || !only.contains("://")) {
      throw new OutboxConfigurationException(
          "The property "
              + ADDRESSES
              + " is neither one address, as amqp://host:port, nor a list"
              + " of host:port.",
          "Set "
              + PREFIX
              + ".uri for one address, or name only hosts and ports, and user, password"
              + " and virtual host in properties of their own.");
    }
    if (only.startsWith("amqps:")) {
      useTls(factory); // before the address: the client itself would trust any server
    }
    try {
      factory.setUri(only);
    } catch (GeneralSecurityException | URISyntaxException | IllegalArgumentException e) {
      // not the cause: it repeats the address, and there may be a password in it
      throw Property.invalid(
          ADDRESSES, new IllegalArgumentException("the address of RabbitMQ is malformed"));
    }
  }

  /** With the certificates that the JVM trusts, and the name of the host checked. */
  private static void useTls(ConnectionFactory factory) {
    try {
      factory.useSslProtocol(SSLContext.getDefault());
      factory.enableHostnameVerification();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("there is no TLS in this JVM", e);
    }
  }

  @Bean
  PublisherRegistration outboxRabbitMqRegistration(
      OutboxRabbitMqProperties properties, RabbitMqPublisher publisher) {
    Destination deadLetters = PublisherRegistration.deadLetterDestination(PREFIX, properties);
    return new PublisherRegistration(
        PREFIX,
        "rabbitmq",
        PublisherRegistration.destination(PREFIX, properties),
        properties,
        publisher,
        deadLetters == null ? null : publisher.deadLetters(deadLetters));
  }
}
