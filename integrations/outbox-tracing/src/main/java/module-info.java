/** Trace context from the write of an event to its consumers, through OpenTelemetry. */
module io.outbox.tracing {
  requires transitive io.outbox.core;
  requires transitive io.opentelemetry.api;
  requires io.opentelemetry.context;

  exports io.outbox.tracing;
}
