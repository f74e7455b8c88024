package io.outbox.quarkus.deployment.shop;

public record OrderPlaced(String orderId) {}
