package io.outbox.samples.micronaut;

import io.micronaut.transaction.TransactionDefinition.Propagation;
import io.micronaut.transaction.annotation.Transactional;
import io.outbox.OutboxWriter;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Writes an order and its event in one transaction. */
@Singleton
class Orders {

  /** What else happens in a transaction. */
  interface Step {
    void run() throws SQLException;
  }

  private final DataSource dataSource;
  private final OutboxWriter outbox;

  Orders(DataSource dataSource, OutboxWriter outbox) {
    this.dataSource = dataSource;
    this.outbox = outbox;
  }

  @Transactional
  void createTable() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)");
    }
  }

  /** Places an order, unless {@code then} fails. */
  @Transactional
  void place(String id, Step then) throws SQLException {
    insert(id);
    then.run();
  }

  /** Has its own end, whatever becomes of the caller's transaction. */
  @Transactional(propagation = Propagation.REQUIRES_NEW)
  void placeAlone(String id) throws SQLException {
    insert(id);
  }

  /** Suspends the caller's transaction. */
  @Transactional(propagation = Propagation.NOT_SUPPORTED)
  void outside(Step step) throws SQLException {
    step.run();
  }

  void insert(String id) throws SQLException {
    outbox.write("OrderPlaced", "{\"id\": \"" + id + "\"}");
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
      insert.setString(1, id);
      insert.executeUpdate();
    }
  }

  @Transactional(readOnly = true)
  long count() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM orders")) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
