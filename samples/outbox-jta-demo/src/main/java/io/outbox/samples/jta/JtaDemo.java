package io.outbox.samples.jta;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Transaction;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells what becomes of events in JTA transactions that are committed, rolled back, suspended and
 * timed out. Ends by itself, and fails if what it tells is not so.
 */
public final class JtaDemo {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** They log what the story tells itself. Kept here so that they are not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private static final Logger NARAYANA_LOG = Logger.getLogger("com.arjuna");

  private final PrintStream out;

  private JtaDemo(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] args) {
    LIBRARY_LOG.setLevel(Level.OFF);
    NARAYANA_LOG.setLevel(Level.OFF);
    try {
      tell(System.out);
    } catch (Exception e) {
      System.out.flush();
      System.err.println("\nThe demo failed: " + e.getMessage());
      e.printStackTrace();
      System.exit(1);
    }
    System.exit(0); // threads of the transaction manager would keep the JVM
  }

  static void tell(PrintStream out) throws Exception {
    new JtaDemo(out).tell();
  }

  private void tell() throws Exception {
    heading("Events in JTA transactions: Narayana, Agroal and an H2 in memory, as an XA resource");
    try (Shop shop = new Shop()) {
      commit(shop);
      rollBack(shop);
      suspend(shop);
      timeOut(shop);
      summary(shop);
    }
  }

  private void commit(Shop shop) throws Exception {
    heading("1. Commit");
    shop.transactions().begin();
    shop.place("A-1");
    fact("written", "order A-1 and its event, in one transaction");
    shop.transactions().commit();
    check("A-1", shop.awaitDelivery());
    fact("delivered", "A-1, right after the commit");
  }

  private void rollBack(Shop shop) throws Exception {
    heading("2. Rollback");
    shop.transactions().begin();
    shop.place("A-2");
    shop.transactions().rollback();
    fact("rolled back", "A-2: its order and its event never existed");
    shop.transactions().begin();
    shop.place("A-3");
    shop.transactions().setRollbackOnly();
    check("refused", isRefused(shop, "A-4") ? "refused" : "written");
    fact("rollback-only", "A-3 cannot commit any more, and A-4 is refused");
    try {
      shop.transactions().commit();
      throw new IllegalStateException("a transaction marked rollback-only was committed");
    } catch (RollbackException e) {
      fact("rolled back", "A-3: commit() throws RollbackException");
    }
  }

  private static boolean isRefused(Shop shop, String id) throws Exception {
    try {
      shop.place(id);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private void suspend(Shop shop) throws Exception {
    heading("3. A new transaction inside, as REQUIRES_NEW makes one");
    shop.transactions().begin();
    shop.place("B-1");
    Transaction outer = shop.transactions().suspend();
    fact("suspended", "B-1");
    shop.transactions().begin();
    shop.place("B-2");
    shop.transactions().commit();
    check("B-2", shop.awaitDelivery());
    fact("delivered", "B-2, while B-1 is still suspended");
    shop.transactions().resume(outer);
    shop.transactions().commit();
    check("B-1", shop.awaitDelivery());
    fact("delivered", "B-1, after it was resumed and committed");
  }

  private void timeOut(Shop shop) throws Exception {
    heading("4. Timeout");
    shop.transactions().setTransactionTimeout(1);
    shop.transactions().begin();
    shop.place("C-1");
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (shop.transactions().getStatus() != Status.STATUS_ROLLEDBACK) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the transaction did not time out");
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    fact("timed out", "C-1, after 1 second: rolled back by the transaction manager");
    shop.transactions().rollback(); // leaves it
  }

  private void summary(Shop shop) throws Exception {
    shop.stopDelivery();
    check("0", Integer.toString(shop.unexpectedDeliveries()));
    check("3", Long.toString(shop.rows("orders")));
    check("3", Long.toString(shop.rows("outbox_event")));
    heading("In the end: 3 orders committed, 3 events delivered, once each.");
  }

  private static void check(String expected, String actual) {
    if (!expected.equals(actual)) {
      throw new IllegalStateException("expected " + expected + ", got " + actual);
    }
  }

  private void heading(String text) {
    out.println();
    out.println(text);
  }

  private void fact(String what, String text) {
    out.println("   + %-14s %s".formatted(what, text));
  }
}
