package io.outbox.relay;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** An outbox table in this JVM, and a relay's configuration of it. */
final class H2Table implements AutoCloseable {

  private final Database database = TestDatabase.H2.fresh();
  private final DataSource dataSource = database.dataSource();

  H2Table() {
    OutboxSchema.create(dataSource);
  }

  /** A configuration: this one's database and table, then the rest. */
  String config(String rest) {
    return """
        http: {port: 0}
        databases:
          shop: {url: "%s", username: "%s", password: "%s"}
        tables:
          orders: {database: shop, poller: {interval-ms: 50}, retry: {base-delay-ms: 50}}
        """
            .formatted(database.jdbcUrl(), database.user(), database.password())
        + rest;
  }

  /** Inserts an event of aggregate 17. */
  void insert(String id, String type, String tenant, String headers, String payload)
      throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                """
                INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id,
                  tenant_id, headers, payload, status, available_at, created_at)
                VALUES (?, ?, 'Order', '17', ?, ?, ?, 0, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)
                """)) {
      insert.setString(1, id);
      insert.setString(2, type);
      insert.setString(3, tenant);
      insert.setString(4, headers);
      insert.setString(5, payload);
      insert.executeUpdate();
    }
  }

  void insert(String id, String type) throws SQLException {
    insert(id, type, null, null, "{\"id\": \"" + id + "\"}");
  }

  /** Changes rows; returns how many. */
  int update(String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Each row as {@code id status attempts}, by id. */
  List<String> rows() {
    List<String> rows = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT event_id, status, attempts FROM outbox_event ORDER BY event_id")) {
      while (found.next()) {
        rows.add(found.getString(1) + " " + found.getInt(2) + " " + found.getInt(3));
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  Database database() {
    return database;
  }

  @Override
  public void close() {
    database.close();
  }
}
