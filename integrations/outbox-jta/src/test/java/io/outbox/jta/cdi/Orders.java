package io.outbox.jta.cdi;

import io.outbox.OutboxWriter;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

// snippet: jta-write
@ApplicationScoped
public class Orders {

  @Inject DataSource dataSource;
  @Inject OutboxWriter outbox;

  @Transactional
  public void place(String orderId) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
      insert.setString(1, orderId);
      insert.executeUpdate();
    }
    outbox.write("OrderPlaced", "{\"orderId\": \"" + orderId + "\"}");
  } // commit: the event is delivered now; rollback: it never existed

  // end

  @Transactional
  public void placeAndFail(String orderId) throws SQLException {
    place(orderId);
    throw new IllegalArgumentException("no");
  }

  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public void placeAlone(String orderId) throws SQLException {
    place(orderId);
  }

  public void placeWithoutTransaction(String orderId) {
    outbox.write("OrderPlaced", "{\"orderId\": \"" + orderId + "\"}");
  }
  // snippet: jta-write
}
// end
