package io.outbox.spring.events.it.shop;

import io.outbox.spring.boot.OutboxListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

@Component
public class Mails {

  private final List<String> sent = new CopyOnWriteArrayList<>();

  // snippet: spring-events-listener
  @OutboxListener(eventType = "OrderPlaced", aggregateType = "orders")
  void thank(OrderPlaced order) {
    send("Thank you for order " + order.orderId());
  }

  // end

  private void send(String text) {
    sent.add(text);
  }

  public List<String> sent() {
    return sent;
  }
}
