package io.outbox.jdbc.store;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.contract.OutboxStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The contract of all stores, on a database. */
abstract class JdbcOutboxStoreContract extends OutboxStoreContract {

  final Target target;
  private final AbstractJdbcOutboxStore store;

  JdbcOutboxStoreContract(Target target) {
    this.target = target;
    this.store = target.store();
  }

  @Override
  protected OutboxStore store() {
    return store;
  }

  @Override
  protected Connection openConnection() throws SQLException {
    return target.connect();
  }

  @Override
  protected void deleteAllEvents() throws SQLException {
    target.deleteAllEvents();
  }

  @Override
  protected Optional<OutboxEvent> findEvent(Connection conn, String eventId) {
    return target.find(conn, eventId);
  }

  @Override
  protected void setStatusCode(Connection conn, String eventId, int code) {
    target.setStatusCode(conn, eventId, code);
  }

  @Override
  protected void lockRow(Connection conn, String eventId) {
    target.lockRow(conn, eventId);
  }
}
