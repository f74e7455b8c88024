package io.outbox.samples.bootkafka;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "shipment")
class Shipment {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private Long id;

  private String orderId;

  protected Shipment() {}

  Shipment(String orderId) {
    this.orderId = orderId;
  }

  Long id() {
    return id;
  }

  String orderId() {
    return orderId;
  }
}
