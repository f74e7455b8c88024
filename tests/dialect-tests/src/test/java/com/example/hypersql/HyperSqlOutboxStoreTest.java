package com.example.hypersql;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.contract.OutboxStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The contract of all stores. */
class HyperSqlOutboxStoreTest extends OutboxStoreContract {

  private final HyperSql database = HyperSql.shared();

  @Override
  protected OutboxStore store() {
    return database.store;
  }

  @Override
  protected Connection openConnection() throws SQLException {
    return database.connect();
  }

  @Override
  protected void deleteAllEvents() throws SQLException {
    database.deleteAllEvents();
  }

  @Override
  protected Optional<OutboxEvent> findEvent(Connection conn, String eventId) {
    return database.find(conn, eventId);
  }

  @Override
  protected void setStatusCode(Connection conn, String eventId, int code) {
    database.setStatusCode(conn, eventId, code);
  }

  @Override
  protected void lockRow(Connection conn, String eventId) {
    database.lockRow(conn, eventId);
  }

  @Override
  protected boolean skipsLockedRows() {
    return false;
  }
}
