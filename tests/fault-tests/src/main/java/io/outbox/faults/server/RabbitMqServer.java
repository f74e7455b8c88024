package io.outbox.faults.server;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.outbox.AsyncEventListener;
import io.outbox.faults.node.NodeSettings;
import io.outbox.rabbitmq.RabbitMqPublisher;
import io.outbox.testbrokers.DedicatedRabbit;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** A RabbitMQ with one durable queue. */
public final class RabbitMqServer implements Broker {

  private static final String QUEUE = "events";
  private static final Duration PUBLISHING = Duration.ofSeconds(5);

  private final DedicatedRabbit server = new DedicatedRabbit();

  public RabbitMqServer() throws Exception {
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(QUEUE, true, false, false, Map.of());
    }
  }

  private Connection connect() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(server.uri());
    return factory.newConnection();
  }

  @Override
  public NodeSettings settings(NodeSettings node) {
    return node.with("broker", "rabbitmq").with("brokerAddress", server.uri());
  }

  /** In a node. */
  public static AsyncEventListener publisher(NodeSettings settings) {
    return RabbitMqPublisher.builder()
        .uri(settings.get("brokerAddress"))
        .queue(event -> QUEUE)
        .confirmTimeout(PUBLISHING)
        .build();
  }

  @Override
  public void kill() {
    server.kill();
  }

  @Override
  public void restart() {
    server.restart();
  }

  @Override
  public Set<String> received() throws Exception {
    Set<String> ids = new HashSet<>();
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      for (GetResponse message = channel.basicGet(QUEUE, true);
          message != null;
          message = channel.basicGet(QUEUE, true)) {
        ids.add(message.getProps().getHeaders().get("outbox-event-id").toString());
      }
    }
    return ids;
  }

  @Override
  public void close() {
    server.close();
  }
}
