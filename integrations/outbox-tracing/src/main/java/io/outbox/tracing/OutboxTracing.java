package io.outbox.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.publish.Destination;
import io.outbox.spi.JsonCodec;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * An interceptor for one trace from the write of an event to its listener and beyond.
 *
 * <p>A write adds the current trace context to the event's headers, as W3C {@code traceparent} and
 * {@code tracestate}. It keeps a context that the event already has, and adds nothing without a
 * current span. Every delivery is a span of kind CONSUMER in that trace, current during the
 * listener call; its context is in the headers of the listener's event. Wrap publishers with {@link
 * #publishing}: each send is then a span of kind PRODUCER, whose context travels with the message.
 *
 * <p>Headers need a {@link JsonCodec}. Without one, or when tracing itself fails, events are
 * written and delivered without trace. Thread-safe.
 */
public final class OutboxTracing implements EventInterceptor {

  private static final Logger LOG = PrintableLogger.of(OutboxTracing.class);
  private static final String INSTRUMENTATION = "io.outbox";

  private final Tracer tracer;
  private final AtomicBoolean warned = new AtomicBoolean();

  private OutboxTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  /** Spans go to {@code openTelemetry}, which decides about sampling and export. */
  public static OutboxTracing of(OpenTelemetry openTelemetry) {
    Objects.requireNonNull(openTelemetry, "openTelemetry");
    return new OutboxTracing(openTelemetry.getTracer(INSTRUMENTATION));
  }

  /**
   * Wraps a publisher: each send is a span of kind PRODUCER. The publisher receives the event with
   * that span's context in its headers.
   *
   * @param system of the broker by OpenTelemetry's conventions, for example {@code kafka}
   * @param destination where the publisher sends to
   */
  public AsyncEventListener publishing(
      String system, Destination destination, AsyncEventListener publisher) {
    Objects.requireNonNull(system, "system");
    Objects.requireNonNull(destination, "destination");
    Objects.requireNonNull(publisher, "publisher");
    return new TracedPublisher(this, system, destination, publisher);
  }

  @Override
  public EventEnvelope beforeWrite(EventEnvelope event) {
    EventEnvelope traced = attempt(() -> withCurrentContext(event));
    return traced == null ? event : traced;
  }

  private static EventEnvelope withCurrentContext(EventEnvelope event) {
    if (TraceHeaders.areIn(event) || !Span.current().getSpanContext().isValid()) {
      return event;
    }
    JsonCodec.getDefault(); // throws if headers could not be stored
    return TraceHeaders.replace(event, Context.current());
  }

  @Override
  public Dispatch around(EventEnvelope event) {
    return attempt(() -> TracedCall.process(tracer, event));
  }

  /** Null if tracing fails. */
  TracedCall send(EventEnvelope event, String system, Destination destination) {
    return attempt(() -> TracedCall.send(tracer, event, system, destination));
  }

  /** Null if it fails: a trace is not worth an event. */
  <T> T attempt(Supplier<T> step) {
    try {
      return step.get();
    } catch (RuntimeException | LinkageError e) {
      Level level = warned.compareAndSet(false, true) ? Level.WARNING : Level.DEBUG;
      LOG.log(
          level, "an event continues without its trace; further failures are logged at DEBUG", e);
      return null;
    }
  }
}
