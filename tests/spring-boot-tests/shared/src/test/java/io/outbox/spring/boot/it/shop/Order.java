package io.outbox.spring.boot.it.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "orders")
public class Order {

  @Id private String id;
  private int cents;

  protected Order() {}

  public Order(String id, int cents) {
    this.id = id;
    this.cents = cents;
  }

  public String getId() {
    return id;
  }

  public int getCents() {
    return cents;
  }
}
