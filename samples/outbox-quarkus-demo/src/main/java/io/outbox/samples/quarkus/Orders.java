package io.outbox.samples.quarkus;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/** Stores orders, and writes their events in the same transaction. */
@ApplicationScoped
public class Orders {

  private final EntityManager entities;
  private final OutboxWriter outbox;

  Orders(EntityManager entities, OutboxWriter outbox) {
    this.entities = entities;
    this.outbox = outbox;
  }

  @Transactional
  public void place(String id) {
    entities.persist(new PurchaseOrder(id));
    outbox.write(EventEnvelope.builder("OrderPlaced").payload(new OrderPlaced(id)).build());
  }

  /** In a separate transaction. */
  @Transactional(TxType.REQUIRES_NEW)
  public void placeAlone(String id) {
    place(id);
  }

  /** How many orders there are. */
  @Transactional
  public long count() {
    return entities
        .createQuery("select count(o) from PurchaseOrder o", Long.class)
        .getSingleResult();
  }
}
