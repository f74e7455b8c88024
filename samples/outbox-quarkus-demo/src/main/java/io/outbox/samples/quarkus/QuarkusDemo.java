package io.outbox.samples.quarkus;

import io.outbox.Outbox;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import java.util.concurrent.TimeUnit;

/**
 * Tells what becomes of events in transactions that are committed, rolled back, nested and timed
 * out. Ends by itself, and fails if what it tells is not so.
 */
@QuarkusMain
public class QuarkusDemo implements QuarkusApplication {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Orders orders;
  private final Mails mails;
  private final Outbox outbox;
  private final TransactionManager transactions;

  QuarkusDemo(Orders orders, Mails mails, Outbox outbox, TransactionManager transactions) {
    this.orders = orders;
    this.mails = mails;
    this.outbox = outbox;
    this.transactions = transactions;
  }

  @Override
  public int run(String... args) {
    try {
      heading("Events in a Quarkus application: Hibernate ORM, Narayana, Agroal, an H2 in memory");
      commit();
      rollBack();
      nest();
      timeOut();
      summary();
      return 0;
    } catch (Exception e) {
      System.err.println("\nThe demo failed: " + e);
      return 1;
    }
  }

  private void commit() throws InterruptedException {
    heading("1. Commit");
    orders.place("A-1");
    fact("written", "order A-1 by Hibernate, and its event, in one @Transactional method");
    check("A-1", mails.await());
    fact("delivered", "A-1 to the method with @OutboxListener, right after the commit");
  }

  private void rollBack() {
    heading("2. Rollback");
    try {
      QuarkusTransaction.requiringNew()
          .run(
              () -> {
                orders.place("A-2");
                throw new UnsupportedOperationException("out of stock");
              });
    } catch (UnsupportedOperationException e) {
      fact("rolled back", "A-2: its order and its event never existed");
    }
  }

  private void nest() throws Exception {
    heading("3. A new transaction inside, by REQUIRES_NEW");
    transactions.begin();
    orders.place("B-1");
    orders.placeAlone("B-2");
    check("B-2", mails.await());
    fact("delivered", "B-2, before B-1 is committed");
    transactions.commit();
    check("B-1", mails.await());
    fact("delivered", "B-1, after its own commit");
  }

  private void timeOut() throws Exception {
    heading("4. Timeout");
    transactions.setTransactionTimeout(1);
    transactions.begin();
    orders.place("C-1");
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (transactions.getStatus() != Status.STATUS_ROLLEDBACK) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the transaction did not time out");
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    transactions.rollback(); // leaves it
    transactions.setTransactionTimeout(0);
    fact("timed out", "C-1, after 1 second: rolled back by the transaction manager");
  }

  private void summary() {
    outbox.stop();
    check("0", Integer.toString(mails.unexpected()));
    check("3", Long.toString(orders.count()));
    heading("In the end: 3 orders committed, 3 events delivered, once each.");
  }

  private static void check(String expected, String actual) {
    if (!expected.equals(actual)) {
      throw new IllegalStateException("expected " + expected + ", got " + actual);
    }
  }

  private static void heading(String text) {
    System.out.println();
    System.out.println(text);
  }

  private static void fact(String what, String text) {
    System.out.println("   + %-14s %s".formatted(what, text));
  }
}
