package io.outbox.spring.boot.it.shop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

/** Writes an event after the commit, rightly or wrongly. */
@Component
public class AfterCommit {

  record Wanted(String how) {}

  public final List<String> refusals = new CopyOnWriteArrayList<>();
  private final OrderService orders;

  AfterCommit(OrderService orders) {
    this.orders = orders;
  }

  @TransactionalEventListener
  void committed(Wanted wanted) {
    try {
      if (wanted.how().equals("rightly")) {
        orders.audit("in a new transaction");
      } else {
        orders.auditInNoTransactionOfItsOwn("in the old one");
      }
    } catch (IllegalStateException e) {
      refusals.add(e.getMessage());
    }
  }
}
