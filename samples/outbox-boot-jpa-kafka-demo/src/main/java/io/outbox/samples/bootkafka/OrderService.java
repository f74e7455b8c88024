package io.outbox.samples.bootkafka;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Saves an order and writes its event in one transaction. */
@Service
class OrderService {

  private final OrderRepository orders;
  private final OutboxWriter outbox;

  OrderService(OrderRepository orders, OutboxWriter outbox) {
    this.orders = orders;
    this.outbox = outbox;
  }

  /** Returns the id of the event. */
  @Transactional
  String place(String orderId, int cents) {
    orders.save(new Order(orderId, cents));
    String eventId =
        outbox.write(
            EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId(orderId)
                .payload(new OrderPlaced(orderId, cents))
                .build());
    if (cents < 0) {
      throw new IllegalArgumentException("order " + orderId + " has a negative price");
    }
    return eventId;
  }
}
