package io.outbox.samples.spring;

record Order(String customer, String destination, int quantity) {}
