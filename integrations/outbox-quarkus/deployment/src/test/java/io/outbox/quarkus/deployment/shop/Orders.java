package io.outbox.quarkus.deployment.shop;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

// snippet: quarkus-write
@ApplicationScoped
public class Orders {

  @Inject EntityManager entities;
  @Inject OutboxWriter outbox;

  @Transactional
  public void place(String orderId) {
    entities.persist(new CustomerOrder(orderId));
    outbox.write(EventEnvelope.builder("OrderPlaced").payload(new OrderPlaced(orderId)).build());
  } // commit: the event is delivered now; rollback: it never existed

  // end

  @Transactional(TxType.REQUIRES_NEW)
  public void placeAlone(String orderId, boolean fail) {
    place(orderId);
    if (fail) {
      throw new IllegalStateException("fails on purpose");
    }
  }

  @Transactional(TxType.NOT_SUPPORTED)
  public void placeWithoutTransaction(String orderId) {
    outbox.write("OrderPlaced", "{\"orderId\":\"" + orderId + "\"}");
  }
  // snippet: quarkus-write
}
// end
