package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.annotation.OutboxListener;
import io.outbox.testing.Await;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Health, metrics and traces, when their extensions are there. */
class ObservabilityTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withConfigurationResource("shop.properties")
          // otherwise dependencies of the scope test are loaded apart from those of Quarkus
          .setFlatClassPath(true)
          .overrideConfigKey("quarkus.outbox.metrics.enabled", "true")
          .overrideConfigKey("quarkus.outbox.tracing.enabled", "true")
          .overrideConfigKey(
              "quarkus.datasource.jdbc.url", "jdbc:h2:mem:observability;DB_CLOSE_DELAY=-1")
          .overrideConfigKey("quarkus.outbox.retry.max-attempts", "1")
          .overrideConfigKey("quarkus.outbox.health.max-dead", "0")
          .overrideConfigKey("quarkus.outbox.metrics.name-prefix", "shop.outbox");

  static final List<String> TRACES = new CopyOnWriteArrayList<>();

  @Inject OutboxWriter writer;
  @Inject MeterRegistry meters;
  @Inject Tracer tracer;

  @TestHTTPResource("/q/health/ready")
  URI ready;

  /** Without one that keeps values, Quarkus counts nothing. */
  @BeforeAll
  static void keepValues() {
    Metrics.addRegistry(new SimpleMeterRegistry());
  }

  @Singleton
  static class Listeners {

    @OutboxListener("Traced")
    void traced(EventEnvelope event) {
      TRACES.add(Span.current().getSpanContext().getTraceId());
    }

    @OutboxListener("Failing")
    void failing(EventEnvelope event) {
      throw new IllegalStateException("fails on purpose");
    }
  }

  private void write(String type) {
    QuarkusTransaction.requiringNew().run(() -> writer.write(type, "{}"));
  }

  private HttpResponse<String> readiness() throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(ready).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aListenerIsInTheTraceOfTheWrite() {
    Span span = tracer.spanBuilder("place an order").startSpan();
    try (Scope scope = span.makeCurrent()) {
      write("Traced");
    } finally {
      span.end();
    }
    Await.until("a delivery", SOON, () -> !TRACES.isEmpty());

    assertThat(TRACES).containsExactly(span.getSpanContext().getTraceId());
  }

  @Test
  void aDeadEventIsCountedAndMakesTheApplicationUnready() throws Exception {
    HttpResponse<String> before = readiness();
    assertThat(before.statusCode()).as(before.body()).isEqualTo(200);
    assertThat(before.body()).contains("Outbox health check", "\"dead\": 0", "\"lagMs\"");

    write("Failing");
    Await.until(
        "a dead event in the metrics",
        SOON,
        () -> meters.get("shop.outbox.dispatch.dead").counter().count() == 1);

    HttpResponse<String> after = readiness();
    assertThat(after.statusCode()).as(after.body()).isEqualTo(503);
    assertThat(after.body()).contains("\"dead\": 1");
  }
}
