package io.outbox.samples.starter;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "orders")
class PlacedOrder {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private Long id;

  private String item;
  private int quantity;

  protected PlacedOrder() {}

  PlacedOrder(String item, int quantity) {
    this.item = item;
    this.quantity = quantity;
  }

  Long id() {
    return id;
  }

  String item() {
    return item;
  }

  int quantity() {
    return quantity;
  }
}
