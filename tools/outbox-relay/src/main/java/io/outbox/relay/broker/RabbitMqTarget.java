package io.outbox.relay.broker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ConnectionFactoryConfigurator;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.EventEnvelope;
import io.outbox.publish.Destination;
import io.outbox.rabbitmq.RabbitMqPublisher;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/** RabbitMQ; a destination is an exchange. */
final class RabbitMqTarget extends Broker {

  private static final int MAX_NAME_BYTES = 255;
  private static final String SSL = "ssl";
  private static final int LOOKUP_MILLIS = 5_000;

  private final ConnectionFactory factory; // not to be changed
  private final Destination routingKey;
  private final boolean mandatory;
  private final boolean unroutableIsDead;
  private final Duration confirmTimeout;

  RabbitMqTarget(CommonSettings common, Section section) {
    super(common);
    this.factory = factory(section);
    this.routingKey = routingKey(section);
    Values values = Values.of(section);
    this.mandatory = values.flag("mandatory", true);
    this.unroutableIsDead = values.flag("unroutable-is-dead", false);
    this.confirmTimeout =
        values.duration(
            "confirm-timeout",
            RabbitMqPublisher.Builder.DEFAULT_CONFIRM_TIMEOUT,
            Duration.ofMillis(1));
  }

  private static ConnectionFactory factory(Section section) {
    ConnectionFactory factory = new ConnectionFactory();
    String uri = section.address("uri");
    Map<String, String> properties = section.properties("properties");
    if (uri == null || uri.isBlank()) {
      section.problem("uri", "'uri' is missing: where RabbitMQ is, such as amqp://host:5672/vhost");
      return factory;
    }
    try {
      factory.setUri(URI.create(uri));
    } catch (Exception e) {
      // not its message: it repeats the address
      section.problem("uri", "must be an address such as amqp://host:5672/vhost");
    }
    try {
      ConnectionFactoryConfigurator.load(factory, properties, "");
      if (factory.isSSL() && properties.keySet().stream().noneMatch(key -> key.startsWith(SSL))) {
        verify(factory);
      }
    } catch (RuntimeException | GeneralSecurityException e) {
      section.problem("properties", "RabbitMQ's client refuses them: " + e.getMessage());
    }
    return factory;
  }

  /** By itself the client trusts everybody. */
  private static void verify(ConnectionFactory factory) throws GeneralSecurityException {
    factory.useSslProtocol(SSLContext.getDefault());
    factory.enableHostnameVerification();
  }

  private static Destination routingKey(Section section) {
    String template = section.text("routing-key");
    try {
      return Destination.template(template == null ? "{eventType}" : template);
    } catch (IllegalArgumentException e) {
      section.problem("routing-key", e.getMessage());
      return Destination.template("{eventType}");
    }
  }

  @Override
  public String place() {
    return "RabbitMQ at "
        + factory.getHost()
        + ":"
        + factory.getPort()
        + ", virtual host "
        + factory.getVirtualHost();
  }

  @Override
  public String noun() {
    return "exchange";
  }

  @Override
  public boolean hasRoutingKey() {
    return true;
  }

  @Override
  String flaw(String exchange) {
    return exchange.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES
        ? "it has more than 255 bytes"
        : null;
  }

  @Override
  public OpenBroker open(Function<EventEnvelope, Target> targets) {
    RabbitMqPublisher publisher =
        RabbitMqPublisher.builder()
            .connectionFactory(factory)
            .connectionName("outbox-relay")
            .destination(destinationOf(targets))
            .routingKey(event -> routingKey(targets.apply(event), event))
            .mandatory(mandatory)
            .unroutableIsDead(unroutableIsDead)
            .confirmTimeout(confirmTimeout)
            .format(format())
            .build();
    return new OpenBroker(publisher, deadLetters(publisher::deadLetters), publisher::close);
  }

  @Override
  public String routingKey(Target target, EventEnvelope event) {
    return (target.routingKey() == null ? routingKey : target.routingKey()).of(event);
  }

  @Override
  public List<String> missing(Collection<String> exchanges) throws Exception {
    ConnectionFactory asking = factory.clone();
    asking.setAutomaticRecoveryEnabled(false);
    asking.setConnectionTimeout(LOOKUP_MILLIS);
    asking.setHandshakeTimeout(LOOKUP_MILLIS);
    asking.setChannelRpcTimeout(LOOKUP_MILLIS);
    List<String> missing = new ArrayList<>();
    try (Connection connection = asking.newConnection("outbox-relay-check")) {
      for (String exchange : exchanges) {
        Channel channel = connection.createChannel(); // closed by the broker if it is missing
        try {
          channel.exchangeDeclarePassive(exchange);
        } catch (IOException e) {
          if (!(e.getCause() instanceof ShutdownSignalException signal) || signal.isHardError()) {
            throw e;
          }
          missing.add(
              exchange
                  + ": "
                  + (signal.getReason() instanceof AMQP.Channel.Close close
                      ? close.getReplyText()
                      : signal.getMessage()));
        }
      }
    }
    return missing;
  }

  @Override
  public List<InetSocketAddress> addresses(Collection<String> destinations) {
    return List.of(InetSocketAddress.createUnresolved(factory.getHost(), factory.getPort()));
  }
}
