package io.outbox.spring.boot.it.ledger;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OneToMany;
import java.util.ArrayList;
import java.util.List;

/** Without a version: the lock of its row is all that keeps two writers apart. */
@Entity
@EntityListeners(Callbacks.class)
public class Account {

  @Id private String id;
  private int balance;

  @OneToMany(cascade = CascadeType.ALL)
  @JoinColumn(name = "account_id")
  private List<Posting> postings = new ArrayList<>();

  protected Account() {}

  public Account(String id) {
    this.id = id;
  }

  /** With a posting that is persisted by cascade. */
  public void post(int amount) {
    balance += amount;
    postings.add(new Posting(amount));
  }

  public void setBalance(int balance) {
    this.balance = balance;
  }

  /** What an entity does that writes its own events. */
  public void setBalance(int newBalance, Runnable writeEvent) {
    balance = newBalance;
    writeEvent.run();
  }
}
