package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.model.EventStatus;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.tracing.OutboxTracing;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Traces through Micrometer Tracing's bridge to OpenTelemetry. */
class TracingTest {

  private final ApplicationContextRunner traced =
      Outboxes.runner()
          .withConfiguration(AutoConfigurations.of(Boot.TRACING))
          .withPropertyValues("management.tracing.sampling.probability=1.0")
          .withUserConfiguration(Listening.class);

  @Configuration(proxyBeanMethods = false)
  static class Listening {

    /** The trace in which the listener, and an interceptor before it, were called. */
    final List<String> traces = new CopyOnWriteArrayList<>();

    final List<String> headers = new CopyOnWriteArrayList<>();

    @Bean
    InMemorySpanExporter exporter() {
      return InMemorySpanExporter.create();
    }

    @Bean
    OrderListener orderListener(ObjectProvider<Tracer> tracer) {
      return new OrderListener(this, tracer.getIfAvailable());
    }

    @Bean
    EventInterceptor noting(ObjectProvider<Tracer> tracer) {
      return EventInterceptor.before(event -> traces.add(traceId(tracer.getIfAvailable())));
    }

    static String traceId(Tracer tracer) {
      Span span = tracer == null ? null : tracer.currentSpan();
      return span == null ? "none" : span.context().traceId();
    }
  }

  static class OrderListener {
    private final Listening notes;
    private final Tracer tracer;

    OrderListener(Listening notes, Tracer tracer) {
      this.notes = notes;
      this.tracer = tracer;
    }

    @OutboxListener("OrderPlaced")
    void placed(EventEnvelope event) {
      notes.traces.add(Listening.traceId(tracer));
      notes.headers.add(event.headers().getOrDefault("traceparent", "none"));
    }
  }

  private static String writeInASpan(ApplicationContext context) {
    Tracer tracer = context.getBean(Tracer.class);
    Span request = tracer.nextSpan().name("POST /orders").start();
    try (Tracer.SpanInScope ignored = tracer.withSpan(request)) {
      Outboxes.write(context, "OrderPlaced", "{}");
    } finally {
      request.end();
    }
    Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
    return request.context().traceId();
  }

  @Test
  void theListenerIsInTheTraceOfTheRequest() {
    traced.run(
        context -> {
          String trace = writeInASpan(context);

          Listening notes = context.getBean(Listening.class);
          assertThat(notes.traces).containsExactly(trace, trace);
          context.getBean(SdkTracerProvider.class).forceFlush().join(10, TimeUnit.SECONDS);
          assertThat(context.getBean(InMemorySpanExporter.class).getFinishedSpanItems())
              .filteredOn(span -> span.getKind() == SpanKind.CONSUMER)
              .singleElement()
              .satisfies(
                  span -> {
                    assertThat(span.getTraceId()).isEqualTo(trace);
                    assertThat(span.getName()).isEqualTo("process OrderPlaced");
                    assertThat(notes.headers.get(0)).contains(span.getSpanId());
                  });
        });
  }

  @Test
  void aPropertySwitchesItOff() {
    traced
        .withPropertyValues("outbox.tracing.enabled=false")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(OutboxTracing.class);
              writeInASpan(context);
              assertThat(context.getBean(Listening.class).traces).containsExactly("none", "none");
            });
  }

  @Test
  void withoutTheModuleOrWithoutOpenTelemetryThereAreNoTraces() {
    traced
        .withClassLoader(new FilteredClassLoader(OutboxTracing.class))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("outboxTracing"));
    traced
        .withClassLoader(new FilteredClassLoader(OpenTelemetry.class))
        .run(context -> assertThat(context).doesNotHaveBean("outboxTracing"));
    Outboxes.runner()
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OutboxTracing.class));
  }

  @Test
  void aTracingOfTheApplicationsOwnIsUsed() {
    OutboxTracing own = OutboxTracing.of(OpenTelemetry.noop());
    traced
        .withBean("own", OutboxTracing.class, () -> own)
        .run(context -> assertThat(context.getBean(OutboxTracing.class)).isSameAs(own));
  }
}
