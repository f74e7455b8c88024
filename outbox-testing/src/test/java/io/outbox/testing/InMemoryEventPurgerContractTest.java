package io.outbox.testing;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.contract.EventPurgerContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

class InMemoryEventPurgerContractTest {

  @Nested
  class OfFinishedEvents extends InMemoryPurgerContract {
    @Override
    protected EventPurger purger() {
      return InMemoryEventPurger.ofFinished(store.database());
    }

    @Override
    protected boolean isAgeBased() {
      return false;
    }
  }

  @Nested
  class ByAge extends InMemoryPurgerContract {
    @Override
    protected EventPurger purger() {
      return InMemoryEventPurger.byAge(store.database());
    }

    @Override
    protected boolean isAgeBased() {
      return true;
    }
  }

  abstract static class InMemoryPurgerContract extends EventPurgerContract {

    final InMemoryOutboxStore store = new InMemoryOutboxStore();

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
}
