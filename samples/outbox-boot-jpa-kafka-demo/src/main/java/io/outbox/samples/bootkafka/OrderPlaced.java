package io.outbox.samples.bootkafka;

/** The payload of the event. */
record OrderPlaced(String orderId, int cents) {}
