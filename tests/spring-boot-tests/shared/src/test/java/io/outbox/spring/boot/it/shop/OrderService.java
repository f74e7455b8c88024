package io.outbox.spring.boot.it.shop;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

@Service
public class OrderService {

  // snippet: boot-jpa
  private final OrderRepository orders; // a JpaRepository
  private final OutboxWriter outbox;

  // end

  private final ApplicationEventPublisher events;

  OrderService(OrderRepository orders, OutboxWriter outbox, ApplicationEventPublisher events) {
    this.orders = orders;
    this.outbox = outbox;
    this.events = events;
  }

  // snippet: boot-jpa
  @Transactional
  public void place(String orderId, int cents) {
    orders.save(new Order(orderId, cents));
    outbox.write(
        EventEnvelope.builder("OrderPlaced")
            .aggregateType("Order")
            .aggregateId(orderId)
            .header("source", "shop")
            .payload(new OrderPlaced(orderId, cents))
            .build());
  }

  // end

  @Transactional
  public void placeAndFail(String orderId) {
    place(orderId, 1);
    throw new IllegalArgumentException("no such article");
  }

  /** What {@link AfterCommit} does is part of the test. */
  @Transactional
  public void placeAndTellAfterCommit(String orderId, String how) {
    place(orderId, 1);
    events.publishEvent(new AfterCommit.Wanted(how));
  }

  @Transactional(readOnly = true)
  public void placeWhileReading(String orderId) {
    outbox.write("OrderPlaced", "{}");
  }

  @Transactional(propagation = Propagation.REQUIRES_NEW)
  public void audit(String what) {
    outbox.write("Audited", "\"" + what + "\"");
  }

  public void auditInNoTransactionOfItsOwn(String what) {
    outbox.write("Audited", "\"" + what + "\"");
  }
}
