package io.outbox.publishertests.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.redis.RedisPublisher;
import io.outbox.testbrokers.PublisherFixture;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testbrokers.RedisServer;
import io.outbox.testbrokers.TcpProxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** A stream of its own, and its reader. */
final class RedisFixture implements PublisherFixture {

  static final String NO_NAME = "NoName";

  private final String name = "orders-" + UUID.randomUUID();
  private final TcpProxy proxy;
  private final RedisClient client;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final RedisPublisher publisher;
  private String last = "0";

  RedisFixture() {
    this(builder -> builder);
  }

  RedisFixture(UnaryOperator<RedisPublisher.Builder> settings) {
    URI server = RedisServer.uri();
    proxy = TcpProxy.to(server.getHost(), server.getPort());
    client = RedisClient.create(server.toString());
    connection = client.connect(ByteArrayCodec.INSTANCE);
    commands().set(bytes(name + NOWHERE), bytes("a string"));
    publisher = settings.apply(builder()).build();
  }

  /** Through the proxy, to the stream; events of type {@link #NOWHERE} to what is none. */
  RedisPublisher.Builder builder() {
    return RedisPublisher.builder()
        .uri("redis://" + proxy.host() + ":" + proxy.port())
        .destination(
            event ->
                switch (event.eventType()) {
                  case NO_NAME -> "";
                  case NOWHERE -> name + NOWHERE;
                  default -> name;
                });
  }

  RedisCommands<byte[], byte[]> commands() {
    return connection.sync();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  String name() {
    return name;
  }

  RedisPublisher redisPublisher() {
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

  @Override
  @SuppressWarnings("unchecked") // an array of one generic offset
  public List<ReceivedMessage> receive() {
    List<ReceivedMessage> messages = new ArrayList<>();
    commands()
        .xread(
            XReadArgs.Builder.block(200).count(500), XReadArgs.StreamOffset.from(bytes(name), last))
        .forEach(
            entry -> {
              last = entry.getId();
              messages.add(message(entry));
            });
    return messages;
  }

  static ReceivedMessage message(StreamMessage<byte[], byte[]> entry) {
    Map<String, String> headers = new LinkedHashMap<>();
    byte[][] payload = new byte[1][];
    entry
        .getBody()
        .forEach(
            (key, value) -> {
              String field = new String(key, StandardCharsets.UTF_8);
              if (field.equals("payload")) {
                payload[0] = value;
              } else {
                headers.put(field, new String(value, StandardCharsets.UTF_8));
              }
            });
    return new ReceivedMessage(null, headers, payload[0]);
  }

  @Override
  public EventEnvelope rejected() {
    return EventEnvelope.ofJson(NO_NAME, "{}");
  }

  /** Redis makes streams by itself, so it is there when nothing else has its name. */
  @Override
  public Missing missing() {
    return new Missing() {
      @Override
      public void create() {
        commands().del(bytes(name + NOWHERE));
      }

      @Override
      public long arrived() {
        return commands().xlen(bytes(name + NOWHERE));
      }
    };
  }

  @Override
  public void close() {
    proxy.restore();
    publisher.close();
    proxy.close();
    commands().del(bytes(name), bytes(name + NOWHERE));
    connection.close();
    client.shutdown();
  }
}
