package io.outbox.samples.events;

import io.outbox.spring.boot.OutboxListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** What is done with the events, each as often as it takes. */
@Component
class Mails {

  private final List<String> sent = new CopyOnWriteArrayList<>();

  @OutboxListener(eventType = "OrderPlaced", aggregateType = "orders")
  void thank(OrderPlaced order) {
    sent.add("thank you for " + order.orderId());
  }

  @OutboxListener(eventType = "OrderShipped", aggregateType = "orders")
  void announce(OrderShipped order) {
    sent.add(order.orderId() + " comes " + order.carrier());
  }

  List<String> sent() {
    return sent;
  }
}
