package io.outbox.jdbc.purge;

import io.outbox.jdbc.store.Target;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.contract.EventPurgerContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The contract of all purgers, on a database. */
abstract class JdbcEventPurgerContract extends EventPurgerContract {

  private final Target target;
  private final EventPurger purger;
  private final boolean ageBased;

  JdbcEventPurgerContract(Target target, EventPurger purger, boolean ageBased) {
    this.target = target;
    this.purger = purger;
    this.ageBased = ageBased;
  }

  @Override
  protected EventPurger purger() {
    return purger;
  }

  @Override
  protected boolean isAgeBased() {
    return ageBased;
  }

  @Override
  protected OutboxStore store() {
    return target.store();
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
