package io.outbox.samples.starter;

import io.outbox.spring.boot.OutboxListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** What is done when an order was placed. */
@Component
class Confirmations {

  /** How often each order was confirmed; more than once only after a failure. */
  private final Map<Long, Integer> byOrder = new ConcurrentHashMap<>();

  @OutboxListener("OrderPlaced")
  void confirm(OrderPlaced order) {
    byOrder.merge(order.orderId(), 1, Integer::sum);
  }

  Map<Long, Integer> byOrder() {
    return byOrder;
  }
}
