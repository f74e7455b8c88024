package io.outbox.samples.events;

import org.springframework.modulith.events.Externalized;

/** Marked by Spring Modulith's annotation. */
@Externalized("orders::#{orderId}")
record OrderShipped(String orderId, String carrier) {}
