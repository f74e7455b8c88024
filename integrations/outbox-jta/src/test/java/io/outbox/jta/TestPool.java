package io.outbox.jta;

import io.outbox.testdb.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** An empty H2 with an outbox and a table of orders, for tests in other packages. */
public final class TestPool {

  private TestPool() {}

  /** Takes part in transactions of the transaction manager of the tests. */
  public static DataSource h2() throws SQLException {
    return Databases.of(TestDatabase.H2, Narayana.Part.XA).pool();
  }

  public static List<String> orders() throws SQLException {
    return Databases.column(
        Databases.get(TestDatabase.H2, Narayana.Part.XA).database().dataSource(),
        "SELECT id FROM orders");
  }
}
