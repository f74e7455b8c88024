package io.outbox.it;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A store as a user may write it: only the methods that have to be there. */
record SpecOnlyStore(OutboxStore target) implements OutboxStore {

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    target.insertNew(conn, event);
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    return target.markDone(conn, eventId);
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
    return target.markRetry(conn, eventId, nextAt, error);
  }

  @Override
  public int markDead(Connection conn, String eventId, String error) {
    return target.markDead(conn, eventId, error);
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    return target.pollPending(conn, now, skipRecent, limit);
  }
}
