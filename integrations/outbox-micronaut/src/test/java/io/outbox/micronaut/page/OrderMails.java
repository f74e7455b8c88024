package io.outbox.micronaut.page;

import io.micronaut.context.annotation.Requires;
import io.outbox.annotation.OutboxListener;
import jakarta.inject.Singleton;

/** The listener of the page. */
@Requires(property = "spec", value = "page")
// snippet: micronaut-listener
@Singleton
public class OrderMails {

  @OutboxListener("OrderPlaced")
  void send(OrderPlaced order) { // the payload, read from JSON
    System.out.println("Thank you for order " + order.orderId());
  }

  record OrderPlaced(String orderId) {}
}
// end
