package io.outbox.quarkus.deployment.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class CustomerOrder {

  @Id public String id;

  public CustomerOrder() {}

  public CustomerOrder(String id) {
    this.id = id;
  }
}
