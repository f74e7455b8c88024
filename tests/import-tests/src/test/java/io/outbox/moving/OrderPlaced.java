package io.outbox.moving;

/** An event as the old libraries write it. */
public record OrderPlaced(int number, String customer) {}
