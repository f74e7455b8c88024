package io.outbox.spring.events.it.shop;

/** An event of a library, say, which cannot be annotated. */
public record OrderPaid(String orderId, int cents, String currency, String shop) {}
