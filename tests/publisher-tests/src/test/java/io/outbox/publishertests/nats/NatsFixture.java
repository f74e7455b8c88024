package io.outbox.publishertests.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.PushSubscribeOptions;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.nats.NatsPublisher;
import io.outbox.testbrokers.NatsServer;
import io.outbox.testbrokers.PublisherFixture;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testbrokers.TcpProxy;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** A stream of its own, and its consumer. */
final class NatsFixture implements PublisherFixture {

  private final String name = "orders-" + UUID.randomUUID();
  private final TcpProxy proxy;
  private final Connection connection;
  private final JetStreamManagement management;
  private final JetStreamSubscription subscription;
  private final NatsPublisher publisher;
  private boolean found; // what was missing

  NatsFixture() throws Exception {
    this(builder -> builder);
  }

  NatsFixture(UnaryOperator<NatsPublisher.Builder> settings) throws Exception {
    URI server = NatsServer.uri();
    proxy = TcpProxy.to(server.getHost(), server.getPort());
    connection = Nats.connect(server.toString());
    management = connection.jetStreamManagement();
    addStream(name, stream -> stream);
    subscription =
        connection
            .jetStream()
            .subscribe(name + ".>", PushSubscribeOptions.builder().ordered(true).build());
    publisher = settings.apply(builder()).build();
  }

  void addStream(String stream, UnaryOperator<StreamConfiguration.Builder> settings)
      throws Exception {
    management.addStream(
        settings
            .apply(
                StreamConfiguration.builder()
                    .name(stream)
                    .subjects(stream + ".>")
                    .storageType(StorageType.Memory))
            .build());
  }

  void deleteStream(String stream) throws Exception {
    management.deleteStream(stream);
  }

  /** Through the proxy, to the stream; events of type {@link #NOWHERE} to a subject without one. */
  NatsPublisher.Builder builder() {
    return NatsPublisher.builder()
        .server("nats://" + proxy.host() + ":" + proxy.port())
        .destination(
            event -> (event.eventType().equals(NOWHERE) ? "no-" : "") + subject(event.eventType()));
  }

  String name() {
    return name;
  }

  String subject(String last) {
    return name + "." + last;
  }

  Connection connection() {
    return connection;
  }

  NatsPublisher natsPublisher() {
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

  Message next() throws Exception {
    return subscription.nextMessage(Duration.ofSeconds(60));
  }

  long stored() throws Exception {
    return management.getStreamInfo(name).getStreamState().getMsgCount();
  }

  @Override
  public List<ReceivedMessage> receive() throws Exception {
    List<ReceivedMessage> messages = new ArrayList<>();
    Message message = subscription.nextMessage(Duration.ofMillis(200));
    while (message != null) {
      messages.add(new ReceivedMessage(null, decoded(message), message.getData()));
      message = messages.size() < 500 ? subscription.nextMessage(Duration.ofMillis(1)) : null;
    }
    return messages;
  }

  static Map<String, String> decoded(Message message) {
    String encoded = message.getHeaders().getFirst(NatsPublisher.ENCODED_HEADERS);
    Set<String> names = encoded == null ? Set.of() : Set.of(encoded.split(","));
    Map<String, String> headers = new LinkedHashMap<>();
    message
        .getHeaders()
        .forEach(
            (name, values) -> {
              String value = values.get(0);
              headers.put(name, names.contains(name) ? decode(value) : value);
            });
    return headers;
  }

  static String decode(String value) {
    return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  @Override
  public EventEnvelope rejected() {
    return EventEnvelope.ofJson("a type with spaces", "{}");
  }

  @Override
  public Missing missing() {
    String stream = "no-" + name;
    return new Missing() {
      @Override
      public void create() throws Exception {
        addStream(stream, settings -> settings);
        found = true;
      }

      @Override
      public long arrived() throws Exception {
        return management.getStreamInfo(stream).getStreamState().getMsgCount();
      }
    };
  }

  @Override
  public void close() {
    proxy.restore();
    publisher.close();
    proxy.close();
    try {
      management.deleteStream(name);
      if (found) {
        management.deleteStream("no-" + name);
      }
      connection.close();
    } catch (IOException | JetStreamApiException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
