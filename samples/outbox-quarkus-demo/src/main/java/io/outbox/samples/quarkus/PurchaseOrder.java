package io.outbox.samples.quarkus;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An order, as Hibernate stores it. */
@Entity
public class PurchaseOrder {

  @Id String id;

  protected PurchaseOrder() {}

  PurchaseOrder(String id) {
    this.id = id;
  }
}
