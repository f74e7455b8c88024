package io.outbox.quarkus.deployment.restart;

import io.agroal.api.AgroalDataSource;
import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.annotation.OutboxListener;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** Writes many events, delivers as many as it may, and dies when it is told to. */
@Path("/shop")
public class RestartedShop {

  @Inject AgroalDataSource dataSource;
  @Inject OutboxWriter outbox;

  @POST
  @Path("orders/{count}")
  @Transactional
  public int place(@PathParam("count") int count) {
    for (int i = 0; i < count; i++) {
      outbox.write("OrderPlaced", "{}");
    }
    return count;
  }

  /** Waits while more has been delivered than the test allows. */
  @OutboxListener("OrderPlaced")
  void deliver(EventEnvelope event) throws SQLException, InterruptedException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO delivered SELECT ? WHERE (SELECT count(*) FROM delivered)"
                    + " < (SELECT allowed FROM gate)")) {
      insert.setString(1, event.eventId());
      while (insert.executeUpdate() == 0) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  @POST
  @Path("halt")
  public void halt() {
    Runtime.getRuntime().halt(1);
  }
}
