package io.outbox.publishertests.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.rabbitmq.RabbitMqPublisher;
import io.outbox.testbrokers.PublisherFixture;
import io.outbox.testbrokers.RabbitServer;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testbrokers.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A topic exchange with one queue for all but events that nobody wants, and its consumer. */
final class RabbitFixture implements PublisherFixture {

  static final String UNWANTED = "Unwanted";

  private final String name = "orders-" + UUID.randomUUID();
  private final BlockingQueue<Delivery> arrived = new LinkedBlockingQueue<>();
  private final TcpProxy proxy;
  private final Connection connection;
  private final Channel channel;
  private final RabbitMqPublisher publisher;

  RabbitFixture() throws Exception {
    this(builder -> builder);
  }

  RabbitFixture(UnaryOperator<RabbitMqPublisher.Builder> settings) throws Exception {
    URI server = RabbitServer.uri();
    proxy = TcpProxy.to(server.getHost(), server.getPort());
    connection = factory(server).newConnection();
    channel = connection.createChannel();
    channel.exchangeDeclare(name, "topic", true);
    channel.queueDeclare(name, true, false, false, Map.of());
    channel.queueBind(name, name, "OrderChanged");
    channel.queueBind(name, name, "Other.#");
    channel.basicConsume(name, true, (tag, delivery) -> arrived.add(delivery), tag -> {});
    publisher = settings.apply(builder()).build();
  }

  static ConnectionFactory factory(URI uri) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(uri);
    return factory;
  }

  /** Through the proxy, to the exchange; events of type {@link #NOWHERE} to one that is missing. */
  RabbitMqPublisher.Builder builder() throws Exception {
    return RabbitMqPublisher.builder()
        .connectionFactory(proxied())
        .destination(event -> event.eventType().equals(NOWHERE) ? missingExchange() : name);
  }

  ConnectionFactory proxied() throws Exception {
    ConnectionFactory factory = factory(RabbitServer.uri());
    factory.setHost(proxy.host());
    factory.setPort(proxy.port());
    return factory;
  }

  String exchange() {
    return name;
  }

  String missingExchange() {
    return name + "-missing";
  }

  Channel channel() {
    return channel;
  }

  RabbitMqPublisher rabbitPublisher() {
    return publisher;
  }

  @Override
  public AsyncEventListener publisher() {
    return publisher;
  }

  @Override
  public TcpProxy proxy() {
    return proxy;
  }

  Delivery next() throws InterruptedException {
    return arrived.poll(60, TimeUnit.SECONDS);
  }

  @Override
  public List<ReceivedMessage> receive() throws InterruptedException {
    List<Delivery> deliveries = new ArrayList<>();
    Delivery first = arrived.poll(200, TimeUnit.MILLISECONDS);
    if (first != null) {
      deliveries.add(first);
      arrived.drainTo(deliveries);
    }
    return deliveries.stream().map(RabbitFixture::message).toList();
  }

  private static ReceivedMessage message(Delivery delivery) {
    AMQP.BasicProperties properties = delivery.getProperties();
    Map<String, String> headers = new LinkedHashMap<>();
    properties.getHeaders().forEach((header, value) -> headers.put(header, value.toString()));
    headers.put("content-type", properties.getContentType());
    return new ReceivedMessage(delivery.getEnvelope().getRoutingKey(), headers, delivery.getBody());
  }

  @Override
  public EventEnvelope rejected() {
    return EventEnvelope.builder("OrderChanged")
        .header("x".repeat(256), "a name that the protocol cannot carry")
        .payloadJson("{}")
        .build();
  }

  /** It takes events from its first moment on: through another exchange, which has a queue. */
  @Override
  public Missing missing() {
    String other = missingExchange() + "-other";
    return new Missing() {
      @Override
      public void create() throws IOException {
        channel.exchangeDeclare(other, "fanout", false, true, Map.of());
        channel.queueDeclare(missingExchange(), false, true, true, Map.of());
        channel.queueBind(missingExchange(), other, "");
        channel.exchangeDeclare(
            missingExchange(), "fanout", false, false, Map.of("alternate-exchange", other));
      }

      @Override
      public long arrived() throws IOException {
        return channel.messageCount(missingExchange());
      }
    };
  }

  @Override
  public void close() {
    proxy.restore();
    publisher.close();
    proxy.close();
    try {
      channel.queueDelete(name);
      channel.exchangeDelete(name);
      channel.exchangeDelete(missingExchange());
      connection.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
