package io.outbox.samples.starter;

/** The payload of the event. */
record OrderPlaced(long orderId, String item, int quantity) {}
