package com.example.hypersql;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.rules.DeliveryRulesContract;
import java.sql.SQLException;

// snippet: delivery-rules
/** Runs the engine on the dialect and writes target/delivery-rules. */
class HyperSqlDeliveryRulesTest extends DeliveryRulesContract {

  private final HyperSql database = HyperSql.shared();

  @Override
  protected OutboxStore store() {
    return database.store;
  }

  @Override
  protected ConnectionProvider connections() {
    return database.dataSource::getConnection;
  }

  @Override
  protected void deleteAllEvents() throws SQLException {
    database.deleteAllEvents();
  }
}
// end
