package io.outbox.spring.boot.it.shop;

public record OrderPlaced(String orderId, int cents) {}
