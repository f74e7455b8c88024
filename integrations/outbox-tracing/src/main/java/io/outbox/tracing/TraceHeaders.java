package io.outbox.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.outbox.EventEnvelope;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The headers of an event that carry W3C trace context, whatever the case of their names. */
final class TraceHeaders {

  private static final TextMapPropagator W3C = W3CTraceContextPropagator.getInstance();
  private static final List<String> NAMES = List.copyOf(W3C.fields());

  private static final TextMapGetter<Map<String, String>> GETTER =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> headers) {
          return headers.keySet();
        }

        @Override
        public String get(Map<String, String> headers, String name) {
          return headers == null ? null : value(headers, name);
        }
      };

  private TraceHeaders() {}

  private static String value(Map<String, String> headers, String name) {
    String exact = headers.get(name);
    if (exact != null) {
      return exact;
    }
    return headers.entrySet().stream()
        .filter(header -> header.getKey().equalsIgnoreCase(name))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  static boolean areIn(EventEnvelope event) {
    return event.headers().keySet().stream().anyMatch(TraceHeaders::isOne);
  }

  private static boolean isOne(String name) {
    return NAMES.stream().anyMatch(name::equalsIgnoreCase);
  }

  /** The context that the event was written in; the root if there is none or it is malformed. */
  static Context contextOf(EventEnvelope event) {
    return W3C.extract(Context.root(), event.headers(), GETTER);
  }

  /** The event with {@code context} instead of what it had; itself if that has no span. */
  static EventEnvelope replace(EventEnvelope event, Context context) {
    if (!Span.fromContext(context).getSpanContext().isValid()) {
      return event;
    }
    Map<String, String> headers = new LinkedHashMap<>(event.headers());
    headers.keySet().removeIf(TraceHeaders::isOne);
    W3C.inject(context, headers, Map::put);
    return event.withHeaders(headers);
  }
}
