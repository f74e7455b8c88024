package com.example.shop;

import io.outbox.spring.boot.OutboxListener;
import org.springframework.stereotype.Component;

// snippet: boot-listener
@Component
public class OrderMails {
  @OutboxListener("OrderPlaced")
  void send(OrderPlaced order) { // the payload, read from JSON
    System.out.println("Thank you for order " + order.orderId());
  }

  record OrderPlaced(String orderId) {}
}
// end
