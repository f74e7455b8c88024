package io.outbox.quarkus.runtime;

import io.opentelemetry.api.OpenTelemetry;
import io.outbox.tracing.OutboxTracing;
import io.quarkus.arc.DefaultBean;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Traces through OpenTelemetry; a bean only if it is there. */
@Singleton
public class OutboxTraces {

  /** The first interceptor: the span is there when the others are called. */
  @Produces
  @Singleton
  @DefaultBean
  @Priority(Integer.MAX_VALUE)
  OutboxTracing tracing(OpenTelemetry openTelemetry) {
    return OutboxTracing.of(openTelemetry);
  }
}
