package io.outbox.jdbc.rules;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.store.Target;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.rules.DeliveryRulesContract;
import java.sql.Connection;
import java.sql.SQLException;

/** The rules of delivery on a database. */
abstract class JdbcDeliveryRulesContract extends DeliveryRulesContract {

  private final Target target;

  JdbcDeliveryRulesContract(Target target) {
    this.target = target;
  }

  @Override
  protected OutboxStore store() {
    return target.store();
  }

  @Override
  protected ConnectionProvider connections() {
    return target.orderedDataSource()::getConnection;
  }

  @Override
  protected void deleteAllEvents() throws SQLException {
    try (Connection conn = connections().getConnection()) {
      new JdbcTemplate().update(conn, "DELETE FROM outbox_event");
    }
  }

  @Override
  protected boolean isReadyForOrderByKey() {
    return true;
  }
}
