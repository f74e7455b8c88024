package io.outbox.micronaut.page;

import io.micronaut.context.annotation.Requires;
import io.micronaut.transaction.annotation.Transactional;
import io.outbox.OutboxWriter;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The writer of the page. */
@Requires(property = "spec", value = "page")
// snippet: micronaut-write
@Singleton
public class Orders {

  private final DataSource dataSource;
  private final OutboxWriter outbox;

  public Orders(DataSource dataSource, OutboxWriter outbox) {
    this.dataSource = dataSource;
    this.outbox = outbox;
  }

  @Transactional
  public void place(String orderId) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
      insert.setString(1, orderId);
      insert.executeUpdate();
    }
    outbox.write("OrderPlaced", "{\"orderId\": \"" + orderId + "\"}");
  } // commit: the event is delivered now; rollback: it never existed
}
// end
