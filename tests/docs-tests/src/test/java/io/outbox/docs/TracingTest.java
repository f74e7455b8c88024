package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.publish.Destination;
import io.outbox.testing.Await;
import io.outbox.tracing.OutboxTracing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** One trace from a request to a broker. */
class TracingTest extends DocsDatabase {

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();

  @Test
  void theTraceOfARequestGoesOnInTheBroker() throws Exception {
    List<EventEnvelope> sent = new CopyOnWriteArrayList<>();
    AsyncEventListener publisher =
        event -> {
          sent.add(event);
          return CompletableFuture.completedFuture(DispatchResult.done());
        };
    try (OpenTelemetrySdk openTelemetry =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build()) {

      // snippet: tracing
      OutboxTracing tracing = OutboxTracing.of(openTelemetry);
      Outbox outbox = singleNode().interceptor(tracing).build();
      // end

      // snippet: tracing-publisher
      Destination topic = Destination.template("shop.{eventType}");
      listeners.registerDefaultAsync(tracing.publishing("kafka", topic, publisher));
      // end

      Span request = openTelemetry.getTracer("test").spanBuilder("POST /orders").startSpan();
      try (outbox;
          Scope ignored = request.makeCurrent()) {
        transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
        awaitEvents(EventStatus.DONE, 1);
      }
      request.end();
      Await.until("the spans", Duration.ofSeconds(60), () -> of(SpanKind.PRODUCER).size() == 1);

      assertThat(of(SpanKind.CONSUMER)).containsExactly("process OrderPlaced");
      assertThat(of(SpanKind.PRODUCER)).containsExactly("send shop.OrderPlaced");
      assertThat(spans.getFinishedSpanItems())
          .allSatisfy(
              span ->
                  assertThat(span.getTraceId()).isEqualTo(request.getSpanContext().getTraceId()));
      assertThat(sent.get(0).headers().get("traceparent"))
          .contains(request.getSpanContext().getTraceId());
    }
  }

  private List<String> of(SpanKind kind) {
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getKind() == kind)
        .map(span -> span.getName())
        .toList();
  }
}
