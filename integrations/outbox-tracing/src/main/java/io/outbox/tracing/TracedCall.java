package io.outbox.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.publish.Destination;
import java.util.concurrent.CompletionException;

/**
 * One call with a span around it, which is current until the call returns and ends with its answer.
 * Named and described by OpenTelemetry's conventions for messaging.
 */
final class TracedCall implements EventInterceptor.Dispatch {

  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> OPERATION_NAME =
      AttributeKey.stringKey("messaging.operation.name");
  private static final AttributeKey<String> OPERATION_TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<String> DESTINATION =
      AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> MESSAGE_ID =
      AttributeKey.stringKey("messaging.message.id");
  private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

  private final EventEnvelope event;
  private final Span span;
  private final Scope scope;

  private TracedCall(EventEnvelope event, Span span, Context parent) {
    Context context = parent.with(span);
    this.span = span;
    this.event = passOn(event, context);
    this.scope = context.makeCurrent(); // last: nobody would close it
  }

  /** If it has no room for more headers, the trace goes on from where it was written. */
  private static EventEnvelope passOn(EventEnvelope event, Context context) {
    try {
      return TraceHeaders.replace(event, context);
    } catch (IllegalArgumentException e) {
      return event;
    }
  }

  /** An event of the outbox is delivered to its listener. */
  static TracedCall process(Tracer tracer, EventEnvelope event) {
    Context parent = TraceHeaders.contextOf(event);
    SpanBuilder builder =
        builder(tracer, "process", event.eventType(), event)
            .setSpanKind(SpanKind.CONSUMER)
            .setParent(parent)
            .setAttribute(SYSTEM, "outbox");
    Span written = Span.fromContext(parent);
    if (written.getSpanContext().isValid()) {
      builder.addLink(written.getSpanContext());
    }
    return new TracedCall(event, builder.startSpan(), parent);
  }

  /** An event is sent to a broker. */
  static TracedCall send(
      Tracer tracer, EventEnvelope event, String system, Destination destination) {
    Context current = Context.current();
    Context parent =
        Span.fromContext(current).getSpanContext().isValid()
            ? current
            : TraceHeaders.contextOf(event);
    SpanBuilder builder =
        builder(tracer, "send", nameOf(destination, event), event)
            .setSpanKind(SpanKind.PRODUCER)
            .setParent(parent)
            .setAttribute(SYSTEM, system);
    return new TracedCall(event, builder.startSpan(), parent);
  }

  private static SpanBuilder builder(
      Tracer tracer, String operation, String destination, EventEnvelope event) {
    SpanBuilder builder =
        tracer.spanBuilder(destination == null ? operation : operation + " " + destination);
    if (destination != null) {
      builder.setAttribute(DESTINATION, destination);
    }
    return builder
        .setAttribute(OPERATION_NAME, operation)
        .setAttribute(OPERATION_TYPE, operation)
        .setAttribute(MESSAGE_ID, event.eventId());
  }

  /** Null if there is none, which the publisher will find out and report. */
  private static String nameOf(Destination destination, EventEnvelope event) {
    try {
      return destination.of(event);
    } catch (RuntimeException e) {
      return null;
    }
  }

  @Override
  public EventEnvelope event() {
    return event;
  }

  @Override
  public void returned() {
    scope.close();
  }

  @Override
  public void ended(DispatchResult result, Throwable error) {
    if (error != null) {
      fail(
          error instanceof CompletionException && error.getCause() != null
              ? error.getCause()
              : error);
    } else if (result instanceof DispatchResult.Dead dead) {
      span.setAttribute(ERROR_TYPE, "dead");
      span.setStatus(StatusCode.ERROR, dead.reason() == null ? "dead" : dead.reason());
    }
    span.end();
  }

  private void fail(Throwable error) {
    span.recordException(error);
    span.setAttribute(ERROR_TYPE, error.getClass().getName());
    span.setStatus(StatusCode.ERROR, error.getMessage() == null ? "" : error.getMessage());
  }
}
