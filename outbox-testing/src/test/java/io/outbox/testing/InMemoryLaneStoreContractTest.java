package io.outbox.testing;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.contract.LaneStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

class InMemoryLaneStoreContractTest extends LaneStoreContract {

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
  private final InMemoryOutboxStore store = new InMemoryOutboxStore(new InMemoryDatabase(clock));

  @Override
  protected OutboxStore store() {
    return store;
  }

  @Override
  protected EventPurger purger() {
    return InMemoryEventPurger.ofFinished(store.database());
  }

  @Override
  protected Connection openConnection() throws SQLException {
    return store.database().getConnection();
  }

  /** Each test has a database of its own. */
  @Override
  protected void resetLanes() {}

  @Override
  protected void awaitTimeAfter(Instant time) {
    clock.advance(Duration.between(clock.instant(), time).plusMillis(1));
  }

  @Override
  protected void deleteAllEvents() {}

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
