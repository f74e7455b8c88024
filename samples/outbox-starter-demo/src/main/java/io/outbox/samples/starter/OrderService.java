package io.outbox.samples.starter;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The order, saved through JPA, and its event are committed together, or neither is. */
@Service
class OrderService {

  private final OrderRepository orders;
  private final OutboxWriter outbox;

  OrderService(OrderRepository orders, OutboxWriter outbox) {
    this.orders = orders;
    this.outbox = outbox;
  }

  @Transactional
  long place(String item, int quantity) {
    PlacedOrder order = orders.save(new PlacedOrder(item, quantity));
    outbox.write(
        EventEnvelope.builder("OrderPlaced")
            .payload(new OrderPlaced(order.id(), order.item(), order.quantity()))
            .build());
    if (quantity < 1) {
      throw new IllegalArgumentException("an order of " + quantity + " makes no sense");
    }
    return order.id();
  }
}
