package io.outbox.spring.events.it.shop;

import org.springframework.modulith.events.Externalized;

// snippet: spring-events-modulith
@Externalized("orders::#{orderId}")
public record OrderShipped(String orderId, String carrier) {}
// end
