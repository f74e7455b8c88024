package io.outbox.samples.quarkus;

import io.outbox.annotation.OutboxListener;
import jakarta.inject.Singleton;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Would send mails; the story waits for them. */
@Singleton
public class Mails {

  private static final long PATIENCE_SECONDS = 60;

  private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

  @OutboxListener("OrderPlaced")
  void send(OrderPlaced order) {
    sent.add(order.orderId());
  }

  /** The next order that got a mail. */
  String await() throws InterruptedException {
    String order = sent.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return order == null ? "nothing" : order;
  }

  /** How many were sent that nobody waited for. */
  int unexpected() {
    return sent.size();
  }
}
