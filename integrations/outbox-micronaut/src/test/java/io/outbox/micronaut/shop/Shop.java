package io.outbox.micronaut.shop;

import io.micronaut.context.annotation.Requires;
import io.micronaut.transaction.annotation.Transactional;
import io.outbox.OutboxWriter;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Orders and their events. */
@Singleton
@Requires(property = "spec", value = "shop")
public class Shop {

  private final DataSource dataSource;
  private final OutboxWriter outbox;

  public Shop(DataSource dataSource, OutboxWriter outbox) {
    this.dataSource = dataSource;
    this.outbox = outbox;
  }

  /** Fails after everything is written if {@code fails}. */
  @Transactional
  public String place(String id, boolean fails) throws SQLException {
    insert(id);
    String event = outbox.write("OrderPlaced", "{\"id\": \"" + id + "\"}");
    if (fails) {
      throw new IllegalStateException("the order is refused");
    }
    return event;
  }

  /** In the transaction of the caller. */
  public void insert(String id) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
      insert.setString(1, id);
      insert.executeUpdate();
    }
  }
}
