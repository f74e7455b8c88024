package io.outbox.samples.quarkus;

/** The payload of the event. */
public record OrderPlaced(String orderId) {}
