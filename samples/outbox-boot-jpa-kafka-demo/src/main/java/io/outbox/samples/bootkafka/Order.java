package io.outbox.samples.bootkafka;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "orders")
class Order {

  @Id private String id;
  private int cents;

  protected Order() {}

  Order(String id, int cents) {
    this.id = id;
    this.cents = cents;
  }

  String id() {
    return id;
  }

  int cents() {
    return cents;
  }
}
