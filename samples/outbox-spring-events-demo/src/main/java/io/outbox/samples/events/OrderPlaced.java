package io.outbox.samples.events;

import io.outbox.spring.events.Outboxed;

/** Marked by the outbox's own annotation. */
@Outboxed("orders::#{orderId}")
record OrderPlaced(String orderId) {}
