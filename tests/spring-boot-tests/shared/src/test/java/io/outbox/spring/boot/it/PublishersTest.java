package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.http.HttpPublisher;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.model.EventStatus;
import io.outbox.nats.NatsPublisher;
import io.outbox.rabbitmq.RabbitMqPublisher;
import io.outbox.redis.RedisPublisher;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spring.boot.OutboxBuilderCustomizer;
import io.outbox.sqs.SqsPublisher;
import io.outbox.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Publishers that properties ask for. */
class PublishersTest {

  private record Request(String path, String body, Map<String, List<String>> headers) {
    String header(String name) {
      return headers.getOrDefault(name, List.of("none")).get(0);
    }
  }

  private final ApplicationContextRunner runner = Outboxes.runner();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private HttpServer server;

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /** 204, or what the path says. */
  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    requests.add(new Request(path, body, exchange.getRequestHeaders()));
    exchange.sendResponseHeaders(path.startsWith("/refuse") ? 400 : 204, -1);
    exchange.close();
  }

  private String address(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private static EventListener listener(
      ApplicationContext context, String aggregateType, String eventType) {
    return context.getBean(ListenerRegistry.class).listenerFor(aggregateType, eventType);
  }

  // ---- when there is one

  @Test
  void withoutADestinationThereIsNone() {
    runner
        .withPropertyValues("outbox.kafka.bootstrap-servers=127.0.0.1:1")
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(AsyncEventListener.class)
                    .doesNotHaveBean("outboxPublisherRegistrar"));
  }

  static Stream<List<String>> publishers() {
    return Stream.of(
        List.of("outbox.kafka.destination=t", "outbox.kafka.bootstrap-servers=127.0.0.1:1"),
        List.of("outbox.kafka.destination=t", "spring.kafka.bootstrap-servers=127.0.0.1:1"),
        List.of("outbox.rabbitmq.destination=x", "outbox.rabbitmq.uri=amqp://127.0.0.1:1"),
        List.of("outbox.rabbitmq.destination=x", "spring.rabbitmq.host=127.0.0.1"),
        List.of("outbox.rabbitmq.destination=x", "spring.rabbitmq.addresses=127.0.0.1:1,[::1]:1"),
        List.of("outbox.rabbitmq.destination=x", "spring.rabbitmq.addresses=amqp://127.0.0.1:1"),
        List.of("outbox.nats.destination=s", "outbox.nats.servers=nats://127.0.0.1:1"),
        List.of("outbox.redis.destination=s", "outbox.redis.uri=redis://127.0.0.1:1"),
        List.of("outbox.redis.destination=s", "spring.data.redis.url=redis://127.0.0.1:1"),
        List.of("outbox.redis.destination=s", "spring.data.redis.host=127.0.0.1"),
        List.of("outbox.sqs.destination=q", "outbox.sqs.region=eu-central-1"),
        List.of("outbox.http.destination=http://127.0.0.1:1/{eventType}"));
  }

  @ParameterizedTest
  @MethodSource("publishers")
  void withADestinationAndAConnectionItIsForAllEvents(List<String> properties) {
    runner
        .withPropertyValues(properties.toArray(String[]::new))
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasSingleBean(AsyncEventListener.class);
              assertThat(listener(context, "Any", "Thing")).isNotNull();
            });
  }

  @ParameterizedTest
  @MethodSource("publishers")
  void withoutItsClassesThereIsNone(List<String> properties) {
    runner
        .withClassLoader(
            new FilteredClassLoader(
                HttpPublisher.class,
                KafkaPublisher.class,
                NatsPublisher.class,
                RabbitMqPublisher.class,
                RedisPublisher.class,
                SqsPublisher.class))
        .withPropertyValues(properties.toArray(String[]::new))
        .run(
            context ->
                assertThat(context).hasNotFailed().doesNotHaveBean("outboxPublisherRegistrar"));
  }

  @Test
  void withoutAnOutboxThereIsNone() {
    Outboxes.runner()
        .withPropertyValues("outbox.enabled=false", "outbox.http.destination=http://127.0.0.1:1")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HttpPublisher.class));
  }

  // ---- which events it is for

  @Test
  void itIsForTheEventTypesThatAreNamed() {
    runner
        .withPropertyValues(
            "outbox.http.destination=http://127.0.0.1:1", "outbox.http.event-types=Placed,Paid")
        .run(
            context -> {
              assertThat(listener(context, "__GLOBAL__", "Placed")).isNotNull();
              assertThat(listener(context, "__GLOBAL__", "Paid")).isNotNull();
              assertThat(listener(context, "__GLOBAL__", "Other")).isNull();
              assertThat(listener(context, "Order", "Placed")).isNull();
            });
  }

  @Test
  void itIsForTheAggregateTypesThatAreNamed() {
    runner
        .withPropertyValues(
            "outbox.http.destination=http://127.0.0.1:1", "outbox.http.aggregate-types=Order,Cart")
        .run(
            context -> {
              assertThat(listener(context, "Order", "Placed")).isNotNull();
              assertThat(listener(context, "Cart", "Filled")).isNotNull();
              assertThat(listener(context, "Customer", "Placed")).isNull();
            });
  }

  @Test
  void ifBothAreNamedItIsForThesePairs() {
    runner
        .withPropertyValues(
            "outbox.http.destination=http://127.0.0.1:1",
            "outbox.http.event-types=Placed",
            "outbox.http.aggregate-types=Order")
        .run(
            context -> {
              assertThat(listener(context, "Order", "Placed")).isNotNull();
              assertThat(listener(context, "Order", "Paid")).isNull();
              assertThat(listener(context, "__GLOBAL__", "Placed")).isNull();
            });
  }

  @Test
  void severalPublishersShareTheEvents() {
    runner
        .withPropertyValues(
            "outbox.http.destination=http://127.0.0.1:1",
            "outbox.http.event-types=Placed",
            "outbox.kafka.destination=orders",
            "outbox.kafka.bootstrap-servers=127.0.0.1:1")
        .run(
            context -> {
              assertThat(listener(context, "__GLOBAL__", "Placed"))
                  .isNotNull()
                  .isNotSameAs(listener(context, "__GLOBAL__", "Other"));
              assertThat(listener(context, "__GLOBAL__", "Other")).isNotNull();
            });
  }

  @Test
  void aPublisherOfTheApplicationsOwnIsUsed() {
    HttpPublisher own = HttpPublisher.builder().destination(address("/own")).build();
    runner
        .withBean("own", HttpPublisher.class, () -> own)
        .withPropertyValues("outbox.http.destination=http://127.0.0.1:1")
        .run(
            context -> {
              assertThat(context.getBean(HttpPublisher.class)).isSameAs(own);
              Outboxes.write(context, "Placed", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
              assertThat(requests).extracting(Request::path).containsExactly("/own");
            });
  }

  // ---- what it does

  @Test
  void eventsArePublishedAsThePropertiesSay() {
    runner
        .withPropertyValues(
            "outbox.http.destination=" + address("/events/{eventType}"),
            "outbox.http.headers.Authorization=Bearer abc",
            "outbox.http.signing-secret=secret",
            "outbox.http.format=cloudevents",
            "outbox.http.source=/shop")
        .run(
            context -> {
              EventEnvelope event = EventEnvelope.ofJson("Placed", "{\"a\":1}");
              Outboxes.write(context, event);
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));

              Request request = requests.get(0);
              assertThat(request.path()).isEqualTo("/events/Placed");
              assertThat(request.body()).isEqualTo("{\"a\":1}");
              assertThat(request.header("Ce-id")).isEqualTo(event.eventId());
              assertThat(request.header("Ce-source")).isEqualTo("/shop");
              assertThat(request.header("Authorization")).isEqualTo("Bearer abc");
              assertThat(request.header("Outbox-signature")).startsWith("t=");
            });
  }

  @Test
  void whatIsDeadGoesWhereThePropertiesSay() {
    runner
        .withPropertyValues(
            "outbox.http.destination=" + address("/refuse"),
            "outbox.http.dead-letter-destination=" + address("/dead/{eventType}"))
        .run(
            context -> {
              Outboxes.write(context, "Order?Placed", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DEAD, 1));
              Await.until("the dead letter", Outboxes.SOON, () -> requests.size() == 2);
              assertThat(requests)
                  .extracting(Request::path)
                  .containsExactly("/refuse", "/dead/Order?Placed");
            });
  }

  @Test
  void whatIsDeadGoesWhereTheApplicationSaysIfItDoes() {
    CompletableFuture<String> dead = new CompletableFuture<>();
    runner
        .withBean(
            OutboxBuilderCustomizer.class,
            () ->
                builder ->
                    ((Outbox.DispatchingBuilder<?>) builder)
                        .onDead((event, reason) -> dead.complete(event.eventType())))
        .withPropertyValues(
            "outbox.http.destination=" + address("/refuse"),
            "outbox.http.dead-letter-destination=" + address("/dead"))
        .run(
            context -> {
              Outboxes.write(context, "Placed", "{}");
              Await.until("the end", Outboxes.SOON, dead::isDone);
              assertThat(dead).isCompletedWithValue("Placed");
              assertThat(requests).extracting(Request::path).containsExactly("/refuse");
            });
  }

  @Test
  void theTraceGoesAlong() {
    InMemorySpanExporter spans = InMemorySpanExporter.create();
    OpenTelemetrySdk telemetry =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();
    runner
        .withBean("telemetry", OpenTelemetrySdk.class, () -> telemetry)
        .withPropertyValues("outbox.http.destination=" + address("/{eventType}?token=s3cret"))
        .run(
            context -> {
              Outboxes.write(context, "Placed", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
              Await.until(
                  "the spans", Outboxes.SOON, () -> spans.getFinishedSpanItems().size() == 2);
              assertThat(spans.getFinishedSpanItems())
                  .filteredOn(span -> span.getName().startsWith("send "))
                  .singleElement()
                  .satisfies(
                      span ->
                          assertThat(requests.get(0).header("Traceparent"))
                              .contains(span.getTraceId(), span.getSpanId()));
              assertThat(spans.getFinishedSpanItems().toString()).doesNotContain("s3cret");
            });
  }

  // ---- what is wrong

  record Wrong(List<String> words, List<String> properties) {
    static Wrong of(String words, String... properties) {
      return new Wrong(List.of(words.split("; ")), List.of(properties));
    }
  }

  static Stream<Wrong> wrongProperties() {
    String http = "outbox.http.destination=http://127.0.0.1:1";
    return Stream.of(
        Wrong.of(
            "several publishers for all events: outbox.http, outbox.kafka",
            http,
            "outbox.kafka.destination=t",
            "outbox.kafka.bootstrap-servers=127.0.0.1:1"),
        Wrong.of(
            "outbox.kafka is for event type 'Placed'; another listener",
            http,
            "outbox.http.event-types=Placed",
            "outbox.kafka.destination=t",
            "outbox.kafka.event-types=Placed",
            "outbox.kafka.bootstrap-servers=127.0.0.1:1"),
        Wrong.of(
            "neither outbox.kafka.bootstrap-servers nor spring.kafka.bootstrap-servers",
            "outbox.kafka.destination=t"),
        Wrong.of(
            "neither outbox.rabbitmq.uri nor spring.rabbitmq.host",
            "outbox.rabbitmq.destination=x"),
        Wrong.of(
            "spring.rabbitmq.addresses; neither one address; nor a list of host:port",
            "outbox.rabbitmq.destination=x",
            "spring.rabbitmq.addresses=amqp://a:1,amqp://b:1"),
        Wrong.of("neither outbox.nats.servers nor", "outbox.nats.destination=s"),
        Wrong.of(
            "neither outbox.redis.uri nor spring.data.redis.host", "outbox.redis.destination=s"),
        Wrong.of("outbox.http.destination; eventTyp", http + "/{eventTyp}"),
        Wrong.of(
            "outbox.http.dead-letter-destination", http, "outbox.http.dead-letter-destination={"),
        Wrong.of("outbox.http.source is not set", http, "outbox.http.format=cloudevents"),
        Wrong.of("outbox.http.request-timeout", http, "outbox.http.request-timeout=0s"),
        Wrong.of(
            "outbox.kafka.properties; acks",
            "outbox.kafka.destination=t",
            "outbox.kafka.bootstrap-servers=127.0.0.1:1",
            "outbox.kafka.properties.acks=1"));
  }

  @ParameterizedTest
  @MethodSource("wrongProperties")
  void whatCannotBeIsNamed(Wrong wrong) {
    runner
        .withPropertyValues(wrong.properties().toArray(String[]::new))
        .run(
            context -> {
              assertThat(context).hasFailed();
              assertThat(messages(context.getStartupFailure())).contains(wrong.words());
            });
  }

  @Test
  void aRegistryOfTheApplicationsOwnMustTakePublishers() {
    runner
        .withBean("own", ListenerRegistry.class, () -> (aggregateType, eventType) -> null)
        .withPropertyValues("outbox.http.destination=http://127.0.0.1:1")
        .run(
            context ->
                assertThat(messages(context.getStartupFailure()))
                    .contains("is not the one DefaultListenerRegistry"));
  }

  @Test
  void aDefaultListenerOfTheApplicationsOwnIsInTheWay() {
    runner
        .withBean(
            "registry",
            DefaultListenerRegistry.class,
            () -> new DefaultListenerRegistry().registerDefault(event -> null))
        .withPropertyValues("outbox.http.destination=http://127.0.0.1:1")
        .run(
            context ->
                assertThat(messages(context.getStartupFailure()))
                    .contains("outbox.http is for all events, and so is another listener"));
  }

  private static String messages(Throwable failure) {
    StringBuilder messages = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      messages.append(cause.getMessage()).append('\n');
    }
    return messages.toString();
  }
}
