package io.outbox.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventStatus;
import io.outbox.publish.Addressed;
import io.outbox.publish.Destination;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.Await;
import io.outbox.testing.InMemoryOutboxStore;
import io.outbox.testing.StubTxContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One trace from the request that writes an event to the consumer behind a broker. */
class OutboxTracingTest {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String ORDER = "OrderPlaced";

  private static final TextMapGetter<Map<String, String>> HEADERS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> headers) {
          return headers.keySet();
        }

        @Override
        public String get(Map<String, String> headers, String name) {
          return headers.get(name);
        }
      };

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private OpenTelemetrySdk telemetry = telemetry(Sampler.parentBased(Sampler.alwaysOn()));
  private Tracer tracer = telemetry.getTracer("test");
  private final InMemoryOutboxStore store = new InMemoryOutboxStore();
  private final StubTxContext tx = new StubTxContext(store.database());
  private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
  private final List<EventEnvelope> received = new CopyOnWriteArrayList<>();
  private final List<SpanContext> current = new CopyOnWriteArrayList<>();
  private Outbox outbox;

  @AfterEach
  void close() {
    if (outbox != null) {
      outbox.close();
    }
    telemetry.close();
  }

  private OpenTelemetrySdk telemetry(Sampler sampler) {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .setSampler(sampler)
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build())
        .build();
  }

  private OutboxTracing tracing() {
    return OutboxTracing.of(telemetry);
  }

  private <B extends Outbox.AbstractBuilder<B>> void start(B builder) {
    outbox =
        builder
            .connectionProvider(store.database())
            .txContext(tx)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .interceptor(tracing())
            .intervalMs(50)
            .build();
  }

  private void write(EventEnvelope event) {
    tx.inTransaction(() -> outbox.writer().write(event));
  }

  private static EventEnvelope order() {
    return EventEnvelope.builder(ORDER).header("mine", "kept").payloadJson("{}").build();
  }

  /** As the instrumentation of a web server does. */
  private SpanContext request(Runnable work) {
    Span span = tracer.spanBuilder("POST /orders").setSpanKind(SpanKind.SERVER).startSpan();
    try (Scope ignored = span.makeCurrent()) {
      work.run();
    } finally {
      span.end();
    }
    return span.getSpanContext();
  }

  /** As the instrumentation of a broker's consumer does. */
  private SpanContext consume(Map<String, String> headers) {
    Context context =
        W3CTraceContextPropagator.getInstance().extract(Context.root(), headers, HEADERS);
    Span span =
        tracer
            .spanBuilder("process orders")
            .setSpanKind(SpanKind.CONSUMER)
            .setParent(context)
            .startSpan();
    span.end();
    return span.getSpanContext();
  }

  private DispatchResult listen(EventEnvelope event) {
    received.add(event);
    current.add(Span.current().getSpanContext());
    return DispatchResult.done();
  }

  private void awaitFinished() {
    Await.finished(store, SOON);
  }

  private List<SpanData> spans(SpanKind kind) {
    return exporter.getFinishedSpanItems().stream().filter(span -> span.getKind() == kind).toList();
  }

  private List<SpanData> awaitSpans(SpanKind kind, int count) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(spans(kind)).hasSize(count));
    return spans(kind);
  }

  private static String attribute(SpanData span, String name) {
    return span.getAttributes().get(AttributeKey.stringKey(name));
  }

  private static void assertChild(SpanData child, SpanContext parent) {
    assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
    assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
  }

  // ---- one trace

  @ParameterizedTest
  @ValueSource(strings = {"single-node", "multi-node", "ordered"})
  void oneTraceLeadsFromTheRequestThroughTheBrokerToTheConsumer(String mode) {
    listeners.registerDefaultAsync(
        tracing()
            .publishing(
                "kafka",
                Destination.template("shop.{eventType}"),
                event -> {
                  listen(event);
                  return CompletableFuture.supplyAsync(DispatchResult::done);
                }));
    switch (mode) {
      case "single-node" -> start(Outbox.singleNode());
      case "multi-node" -> start(Outbox.multiNode().claimLocking(Duration.ofMinutes(5)));
      default -> start(Outbox.ordered());
    }
    EventEnvelope order = order();
    SpanContext request = request(() -> write(order));
    awaitFinished();
    SpanData delivery = awaitSpans(SpanKind.CONSUMER, 1).get(0);
    SpanData send = awaitSpans(SpanKind.PRODUCER, 1).get(0);
    SpanContext consumer = consume(received.get(0).headers());

    assertChild(delivery, request);
    assertChild(send, delivery.getSpanContext());
    assertChild(spans(SpanKind.CONSUMER).get(1), send.getSpanContext());
    assertThat(consumer.getTraceId()).isEqualTo(request.getTraceId());
    assertThat(received.get(0).headers()).containsEntry("mine", "kept");
    assertThat(current).containsExactly(send.getSpanContext());

    assertThat(delivery.getName()).isEqualTo("process OrderPlaced");
    assertThat(attribute(delivery, "messaging.system")).isEqualTo("outbox");
    assertThat(attribute(delivery, "messaging.operation.name")).isEqualTo("process");
    assertThat(attribute(delivery, "messaging.operation.type")).isEqualTo("process");
    assertThat(attribute(delivery, "messaging.destination.name")).isEqualTo(ORDER);
    assertThat(attribute(delivery, "messaging.message.id")).isEqualTo(order.eventId());
    assertThat(delivery.getLinks())
        .singleElement()
        .satisfies(
            link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(request.getSpanId()));
    assertThat(send.getName()).isEqualTo("send shop.OrderPlaced");
    assertThat(attribute(send, "messaging.system")).isEqualTo("kafka");
    assertThat(attribute(send, "messaging.operation.name")).isEqualTo("send");
    assertThat(attribute(send, "messaging.operation.type")).isEqualTo("send");
    assertThat(attribute(send, "messaging.destination.name")).isEqualTo("shop.OrderPlaced");
    assertThat(attribute(send, "messaging.message.id")).isEqualTo(order.eventId());
    assertThat(delivery.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
  }

  @Test
  void eventsFromThePollerHaveTheTraceTheyWereWrittenIn() {
    listeners.register(ORDER, this::listen);
    start(Outbox.singleNode().autoStart(false));
    SpanContext request = request(() -> write(order()));
    outbox.start();
    awaitFinished();

    assertChild(awaitSpans(SpanKind.CONSUMER, 1).get(0), request);
  }

  @Test
  void eachAttemptIsASpanOfTheSameTrace() {
    AtomicInteger attempts = new AtomicInteger();
    listeners.register(
        ORDER,
        event -> {
          listen(event);
          return switch (attempts.incrementAndGet()) {
            case 1 -> throw new IllegalStateException("broken");
            case 2 -> throw new RetryAfterException(Duration.ofMillis(1), "busy");
            case 3 -> DispatchResult.retryAfter(Duration.ofMillis(1));
            default -> DispatchResult.done();
          };
        });
    start(Outbox.singleNode());
    SpanContext request = request(() -> write(order()));
    awaitFinished();
    List<SpanData> deliveries = awaitSpans(SpanKind.CONSUMER, 4);

    assertThat(deliveries).allSatisfy(delivery -> assertChild(delivery, request));
    assertThat(deliveries)
        .extracting(delivery -> delivery.getStatus().getStatusCode())
        .containsExactly(StatusCode.ERROR, StatusCode.ERROR, StatusCode.UNSET, StatusCode.UNSET);
    SpanData failed = deliveries.get(0);
    assertThat(failed.getStatus().getDescription()).isEqualTo("broken");
    assertThat(failed.getEvents()).extracting("name").containsExactly("exception");
    assertThat(attribute(failed, "error.type")).isEqualTo(IllegalStateException.class.getName());
    assertThat(current).doesNotHaveDuplicates();
  }

  @Test
  void anEventThatIsDeadSaysWhy() {
    listeners.register(ORDER, event -> DispatchResult.dead("no such customer"));
    listeners.register(
        "Refused",
        event -> {
          throw new UnrecoverableException("refused");
        });
    start(Outbox.singleNode());
    write(order());
    write(EventEnvelope.ofJson("Refused", "{}"));
    awaitFinished();

    assertThat(awaitSpans(SpanKind.CONSUMER, 2))
        .extracting(span -> span.getStatus().getDescription())
        .containsExactlyInAnyOrder("no such customer", "refused");
    assertThat(store.events(EventStatus.DEAD)).hasSize(2);
  }

  // ---- listeners that answer later

  @Test
  void theSpanOfALateAnswerEndsWithItAndIsNotCurrentOnTheWorkerMeanwhile() {
    CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
    listeners.registerAsync(
        ORDER,
        event -> {
          listen(event);
          return answer;
        });
    listeners.register(
        "Next",
        event -> {
          current.add(Span.current().getSpanContext());
          return null;
        });
    start(Outbox.singleNode().workerCount(1));
    SpanContext first = request(() -> write(order()));
    await().atMost(Duration.ofSeconds(60)).until(() -> current.size() == 1);
    SpanContext second = request(() -> write(EventEnvelope.ofJson("Next", "{}")));
    SpanData next = awaitSpans(SpanKind.CONSUMER, 1).get(0);

    assertThat(next.getName()).isEqualTo("process Next");
    assertChild(next, second);
    answer.completeExceptionally(new IllegalStateException("not accepted"));
    SpanData late = awaitSpans(SpanKind.CONSUMER, 2).get(1);
    assertChild(late, first);
    assertThat(late.getStatus().getDescription()).isEqualTo("not accepted");
  }

  @Test
  void aPublisherThatFailsAtOnceOrLaterRecordsIt() {
    AtomicInteger attempts = new AtomicInteger();
    AsyncEventListener publisher =
        event ->
            switch (attempts.incrementAndGet()) {
              case 1 -> throw new IllegalStateException("at once");
              case 2 -> CompletableFuture.failedFuture(new IllegalStateException("later"));
              case 3 ->
                  CompletableFuture.supplyAsync(
                      () -> {
                        throw new IllegalStateException("wrapped");
                      });
              case 4 -> null;
              default -> CompletableFuture.completedFuture(DispatchResult.done());
            };
    listeners.registerAsync(
        ORDER, tracing().publishing("kafka", Destination.template("orders"), publisher));
    start(Outbox.singleNode());
    write(order());
    awaitFinished();

    assertThat(awaitSpans(SpanKind.PRODUCER, 5))
        .extracting(span -> span.getStatus().getDescription())
        .containsExactly("at once", "later", "wrapped", "the publisher returned null", "");
    assertThat(store.events(EventStatus.DONE)).hasSize(1);
  }

  @Test
  void aPublisherIsTracedWithoutTheInterceptorToo() throws Exception {
    AsyncEventListener publisher =
        tracing()
            .publishing(
                "rabbitmq",
                Destination.template("{tenantId}"),
                event -> {
                  listen(event);
                  return CompletableFuture.completedFuture(null);
                });
    SpanContext[] written = new SpanContext[1];
    written[0] =
        request(() -> received.add(tracing().beforeWrite(EventEnvelope.ofJson(ORDER, "{}"))));
    publisher.onEvent(received.get(0));
    SpanData send = awaitSpans(SpanKind.PRODUCER, 1).get(0);

    assertChild(send, written[0]);
    assertThat(send.getName()).isEqualTo("send"); // it has no tenant, hence no destination
    assertThat(attribute(send, "messaging.destination.name")).isNull();
    assertThat(received.get(1).headers().get("traceparent")).contains(send.getSpanId());
    assertThat(Span.current().getSpanContext().isValid()).isFalse();
  }

  private interface Broker extends AsyncEventListener, Addressed {}

  @Test
  void R25_aTracedPublisherStillTellsTheDestinationOfAnEvent() {
    Broker broker =
        new Broker() {
          @Override
          public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
            return new CompletableFuture<>();
          }

          @Override
          public String destinationOf(EventEnvelope event) {
            return "topic " + event.eventType();
          }
        };
    AsyncEventListener traced =
        tracing().publishing("kafka", Destination.template("orders"), broker);

    assertThat(((Addressed) traced).destinationOf(order())).isEqualTo("topic " + ORDER);
  }

  @Test
  void whoeverCancelsTheAnswerReachesThePublisher() throws Exception {
    CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
    AsyncEventListener publisher =
        tracing().publishing("kafka", Destination.template("orders"), event -> answer);
    publisher.onEvent(order()).toCompletableFuture().cancel(true);

    assertThat(answer).isCancelled();
    assertThat(awaitSpans(SpanKind.PRODUCER, 1).get(0).getStatus().getStatusCode())
        .isEqualTo(StatusCode.ERROR);
  }

  // ---- nothing odd

  @Test
  void aTransactionThatIsRolledBackLeavesNoSpan() {
    listeners.register(ORDER, this::listen);
    start(Outbox.singleNode());
    SpanContext request =
        request(
            () -> {
              try {
                tx.inTransaction(
                    () -> {
                      outbox.writer().write(order());
                      throw new IllegalStateException("business rule");
                    });
              } catch (IllegalStateException expected) {
                assertThat(expected).hasMessage("business rule");
              }
            });
    SpanContext committed = request(() -> write(order()));
    awaitFinished();
    SpanData delivery = awaitSpans(SpanKind.CONSUMER, 1).get(0);

    assertChild(delivery, committed);
    assertThat(exporter.getFinishedSpanItems())
        .filteredOn(span -> span.getTraceId().equals(request.getTraceId()))
        .hasSize(1); // the request itself
  }

  @Test
  void withoutACurrentSpanNothingIsAddedAndTheDeliveryBeginsATrace() {
    listeners.register(ORDER, this::listen);
    start(Outbox.singleNode());
    EventEnvelope order = order();
    write(order);
    awaitFinished();
    SpanData delivery = awaitSpans(SpanKind.CONSUMER, 1).get(0);

    assertThat(store.find(order.eventId()).orElseThrow().headersJson())
        .isEqualTo("{\"mine\":\"kept\"}");
    assertThat(delivery.getParentSpanId()).isEqualTo(SpanId.getInvalid());
    assertThat(delivery.getLinks()).isEmpty();
  }

  @Test
  void theContextThatAnEventAlreadyHasIsKept() {
    String given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    listeners.register(ORDER, this::listen);
    start(Outbox.singleNode());
    EventEnvelope order =
        EventEnvelope.builder(ORDER)
            .header("Traceparent", given)
            .header("tracestate", "vendor=1")
            .payloadJson("{}")
            .build();
    request(() -> write(order));
    awaitFinished();
    SpanData delivery = awaitSpans(SpanKind.CONSUMER, 1).get(0);

    assertThat(store.find(order.eventId()).orElseThrow().headersJson()).contains(given);
    assertThat(delivery.getTraceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
    assertThat(delivery.getParentSpanId()).isEqualTo("b7ad6b7169203331");
    assertThat(received.get(0).headers())
        .containsOnlyKeys("traceparent", "tracestate")
        .containsEntry("tracestate", "vendor=1");
    assertThat(received.get(0).headers().get("traceparent")).contains(delivery.getSpanId());
  }

  @Test
  void aMalformedContextIsNoReasonNotToDeliver() {
    listeners.register(ORDER, this::listen);
    start(Outbox.singleNode());
    write(EventEnvelope.builder(ORDER).header("traceparent", "??").payloadJson("{}").build());
    awaitFinished();

    assertThat(awaitSpans(SpanKind.CONSUMER, 1).get(0).getParentSpanId())
        .isEqualTo(SpanId.getInvalid());
  }

  @Test
  void whatIsNotSampledIsNotRecordedButPassedOn() {
    telemetry.close();
    telemetry = telemetry(Sampler.parentBased(Sampler.alwaysOff()));
    tracer = telemetry.getTracer("test");
    listeners.register(ORDER, this::listen);
    start(Outbox.singleNode());
    SpanContext request = request(() -> write(order()));
    awaitFinished();

    assertThat(exporter.getFinishedSpanItems()).isEmpty();
    assertThat(received.get(0).headers().get("traceparent"))
        .startsWith("00-" + request.getTraceId())
        .endsWith("-00");
  }

  @Test
  void headersThatLeaveNoRoomGoOnAsTheyAre() {
    String large = "x".repeat(EventEnvelope.MAX_HEADER_BYTES - 10);
    listeners.register(ORDER, this::listen);
    start(Outbox.singleNode());
    request(() -> write(EventEnvelope.builder(ORDER).header("a", large).payloadJson("{}").build()));
    awaitFinished();

    assertThat(received.get(0).headers()).containsOnlyKeys("a");
    awaitSpans(SpanKind.CONSUMER, 1);
  }

  @Test
  void aTracerThatFailsBreaksNothing() {
    OutboxTracing broken =
        OutboxTracing.of(
            new OpenTelemetry() {
              @Override
              public TracerProvider getTracerProvider() {
                return TracerProvider.noop();
              }

              @Override
              public Tracer getTracer(String name) {
                return spanName -> {
                  throw new IllegalStateException("injected");
                };
              }

              @Override
              public ContextPropagators getPropagators() {
                return ContextPropagators.noop();
              }
            });
    listeners.registerAsync(
        ORDER,
        broken.publishing(
            "kafka",
            Destination.template("orders"),
            event -> {
              listen(event);
              return CompletableFuture.completedFuture(DispatchResult.done());
            }));
    outbox =
        Outbox.singleNode()
            .connectionProvider(store.database())
            .txContext(tx)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .interceptor(broken)
            .build();
    write(order());
    awaitFinished();

    assertThat(received).hasSize(1);
    assertThat(store.events(EventStatus.DONE)).hasSize(1);
  }

  @Test
  void anOutboxThatOnlyWritesPassesTheContextToWhoeverReadsTheTable() {
    start(Outbox.writerOnly());
    EventEnvelope order = order();
    SpanContext request = request(() -> write(order));

    assertThat(store.find(order.eventId()).orElseThrow().headersJson())
        .contains("traceparent", request.getTraceId(), request.getSpanId());
  }
}
