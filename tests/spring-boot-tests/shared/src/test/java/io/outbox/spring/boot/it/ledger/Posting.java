package io.outbox.spring.boot.it.ledger;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;

/** Inserted as soon as it is persisted, because the database gives it its id. */
@Entity
@EntityListeners(Callbacks.class)
public class Posting {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private Long id;

  private int amount;

  protected Posting() {}

  public Posting(int amount) {
    this.amount = amount;
  }
}
