package io.outbox.samples.micronaut;

import io.outbox.annotation.OutboxListener;
import jakarta.inject.Singleton;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What is done when an order was placed. */
@Singleton
class Mails {

  private static final long PATIENCE_SECONDS = 60;

  /** The payload of the event. */
  record OrderPlaced(String id) {}

  private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

  @OutboxListener("OrderPlaced")
  void send(OrderPlaced order) {
    sent.add(order.id());
  }

  /** The order whose mail is sent next. */
  String await() throws InterruptedException {
    String id = sent.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (id == null) {
      throw new IllegalStateException("no mail was sent");
    }
    return id;
  }

  /** How many mails nobody has waited for. */
  int unexpected() {
    return sent.size();
  }
}
