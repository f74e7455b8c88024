package io.outbox.spring.events.it.shop;

import io.outbox.spring.events.Outboxed;

// snippet: spring-events-annotation
@Outboxed("orders::#{orderId}")
public record OrderPlaced(String orderId, int cents) {}
// end
