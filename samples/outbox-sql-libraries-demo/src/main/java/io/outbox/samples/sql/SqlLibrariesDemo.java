package io.outbox.samples.sql;

import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.spi.ConnectionProvider;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * Tells what becomes of events in transactions of jOOQ and MyBatis that are committed, rolled back,
 * and rolled back to a savepoint. Ends by itself, and fails if what it tells is not so.
 */
public final class SqlLibrariesDemo {

  /** They log what the story tells itself. Kept here so that they are not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private static final Logger JOOQ_LOG = Logger.getLogger("org.jooq");

  private final PrintStream out;

  private SqlLibrariesDemo(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] args) {
    LIBRARY_LOG.setLevel(Level.OFF);
    JOOQ_LOG.setLevel(Level.OFF);
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
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
    new SqlLibrariesDemo(out).tell();
  }

  private void tell() throws Exception {
    heading("Events in transactions of jOOQ and MyBatis, without Spring, on an H2 in memory");
    JdbcConnectionPool pool =
        JdbcConnectionPool.create("jdbc:h2:mem:sql-libraries;DB_CLOSE_DELAY=-1", "sa", "");
    OutboxSchema.create(pool);
    execute(pool, "CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)");
    ConnectionProvider connections = new DataSourceConnectionProvider(pool);
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    try (Events events = new Events(pool, connections, txContext)) {
      heading("1. jOOQ: DSLContext.transaction(...)");
      story("J", new JooqOrders(connections, txContext, events), events);
      heading("2. MyBatis: sessions in transactions of JdbcTransactionManager");
      story("M", new MyBatisOrders(pool, connections, txContext, events), events);
      events.close();
      check("0", Integer.toString(events.unexpectedDeliveries()));
    }
    check("4", count(pool, "orders"));
    check("4", count(pool, "outbox_event WHERE status = 1"));
    heading("In the end: 4 orders committed, 4 events delivered, once each.");
    execute(pool, "SHUTDOWN");
    pool.dispose();
  }

  private void story(String prefix, Orders orders, Events events) throws InterruptedException {
    String committed = prefix + "-1";
    orders.place(committed);
    check(committed, events.awaitDelivery());
    fact("delivered", committed + ", right after the commit");

    String failed = prefix + "-2";
    try {
      orders.placeAndFail(failed);
      throw new IllegalStateException(failed + " was committed");
    } catch (Orders.Failure expected) {
      fact("rolled back", failed + ": its order and its event never existed");
    }

    String order = prefix + "-3";
    String gift = order + "-gift";
    orders.placeWithoutGift(order, gift);
    check(order, events.awaitDelivery());
    fact("rolled back", gift + ", to a savepoint: its event is gone with it");
    fact("delivered", order + ", which was committed around it");
  }

  private static String count(DataSource dataSource, String rows) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT count(*) FROM " + rows)) {
      result.next();
      return result.getString(1);
    }
  }

  private static void execute(DataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
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
