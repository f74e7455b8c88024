package io.outbox.jdbc.store;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.contract.OutboxStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** A dialect that says nothing of its database: H2 takes the standard SQL of the defaults, too. */
class StandardDialectContractTest extends OutboxStoreContract {

  private final OutboxStore store = new DialectOutboxStore(database -> true);

  @Override
  protected OutboxStore store() {
    return store;
  }

  @Override
  protected Connection openConnection() throws SQLException {
    return Target.H2.connect();
  }

  @Override
  protected void deleteAllEvents() throws SQLException {
    Target.H2.deleteAllEvents();
  }

  @Override
  protected Optional<OutboxEvent> findEvent(Connection conn, String eventId) {
    return Target.H2.find(conn, eventId);
  }

  @Override
  protected void setStatusCode(Connection conn, String eventId, int code) {
    Target.H2.setStatusCode(conn, eventId, code);
  }

  @Override
  protected void lockRow(Connection conn, String eventId) {
    Target.H2.lockRow(conn, eventId);
  }

  @Override
  protected boolean skipsLockedRows() {
    return false;
  }
}
