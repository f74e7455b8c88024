package io.outbox.samples.micronaut;

import io.micronaut.context.ApplicationContext;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells what becomes of events in transactions of Micronaut that are committed, rolled back, nested
 * and suspended. Ends by itself, and fails if what it tells is not so.
 */
public final class MicronautDemo {

  /** It logs what the story tells itself. Kept here so that it is not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private final PrintStream out;
  private final Orders orders;
  private final Mails mails;

  private MicronautDemo(PrintStream out, Orders orders, Mails mails) {
    this.out = out;
    this.orders = orders;
    this.mails = mails;
  }

  public static void main(String[] args) {
    LIBRARY_LOG.setLevel(Level.OFF);
    try {
      tell(System.out);
    } catch (Exception e) {
      System.out.flush();
      System.err.println("\nThe demo failed: " + e.getMessage());
      e.printStackTrace();
      System.exit(1);
    }
  }

  static void tell(PrintStream out) throws Exception {
    Mails mails;
    try (ApplicationContext context = ApplicationContext.run()) {
      mails = context.getBean(Mails.class);
      new MicronautDemo(out, context.getBean(Orders.class), mails).tell();
    } // delivers what is queued
    check("0", Integer.toString(mails.unexpected()));
    out.println();
    out.println("In the end: 4 orders committed, 4 mails sent, once each.");
  }

  private void tell() throws Exception {
    heading("Events in transactions of Micronaut Data, with HikariCP and an H2 in memory");
    orders.createTable();
    commit();
    rollBack();
    nest();
    suspend();
    check("4", Long.toString(orders.count()));
  }

  private void commit() throws Exception {
    heading("1. Commit");
    orders.place("A-1", () -> fact("written", "order A-1 and its event, in one transaction"));
    check("A-1", mails.await());
    fact("delivered", "A-1 to the @OutboxListener method, right after the commit");
  }

  private void rollBack() throws SQLException {
    heading("2. Rollback");
    try {
      orders.place(
          "A-2",
          () -> {
            throw new IllegalStateException("card refused");
          });
      throw new AssertionError("A-2 was committed");
    } catch (IllegalStateException e) {
      fact("rolled back", "A-2 (" + e.getMessage() + "): its order and its event never existed");
    }
  }

  private void nest() throws Exception {
    heading("3. A new transaction inside: REQUIRES_NEW");
    try {
      orders.place(
          "B-1",
          () -> {
            orders.placeAlone("B-2");
            throw new IllegalStateException("card refused");
          });
      throw new AssertionError("B-1 was committed");
    } catch (IllegalStateException e) {
      fact("rolled back", "B-1, after B-2 was committed inside");
    }
    check("B-2", mails.await());
    fact("delivered", "B-2");
    orders.place("B-3", () -> orders.outside(() -> fact("suspended", "B-3")));
    check("B-3", mails.await());
    fact("delivered", "B-3, after it was resumed and committed");
  }

  private void suspend() throws Exception {
    heading("4. Without a transaction: NOT_SUPPORTED");
    orders.place("C-1", () -> orders.outside(this::isRefused));
    check("C-1", mails.await());
    fact("delivered", "C-1, whose transaction was suspended meanwhile");
  }

  private void isRefused() throws SQLException {
    try {
      orders.insert("C-2");
      throw new AssertionError("an event was written without a transaction");
    } catch (IllegalStateException e) {
      fact("refused", "C-2: there is no transaction to write its event in");
    }
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
