package com.example.shop;

import io.outbox.spring.boot.OutboxListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

// snippet: boot-listener
@Component
public class OrderMails {

  @OutboxListener("OrderPlaced")
  void send(OrderPlaced order) { // the payload, read from JSON
    mail("Thank you for order " + order.orderId());
  }

  // end
  final List<String> sent = new CopyOnWriteArrayList<>();

  private void mail(String text) {
    sent.add(text);
  }

  // snippet: boot-listener
  record OrderPlaced(String orderId) {}
}
// end
