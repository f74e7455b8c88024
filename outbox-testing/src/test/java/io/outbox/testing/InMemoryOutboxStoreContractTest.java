package io.outbox.testing;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.contract.OutboxStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

class InMemoryOutboxStoreContractTest extends OutboxStoreContract {

  private final InMemoryOutboxStore store =
      new InMemoryOutboxStore(
          new InMemoryDatabase(new ManualClock(Instant.parse("2026-01-01T00:00:00Z"))));

  @Override
  protected OutboxStore store() {
    return store;
  }

  @Override
  protected Connection openConnection() throws SQLException {
    return store.database().getConnection();
  }

  @Override
  protected void deleteAllEvents() {
    store.clear();
  }

  @Override
  protected Optional<OutboxEvent> findEvent(Connection conn, String eventId) {
    return store.find(eventId);
  }

  @Override
  protected void setStatusCode(Connection conn, String eventId, int code) {
    store.setStatusCode(conn, eventId, code);
  }

  @Override
  protected void lockRow(Connection conn, String eventId) {
    store.lockRow(conn, eventId);
  }
}
