package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a test can see of the store; what a store must do is in its contract. */
class InMemoryOutboxStoreTest {

  private final InMemoryOutboxStore store = new InMemoryOutboxStore();
  private Connection conn;

  @BeforeEach
  void connect() throws SQLException {
    conn = store.database().getConnection();
  }

  @AfterEach
  void close() throws SQLException {
    conn.close();
  }

  private String insert(Instant occurredAt) {
    EventEnvelope event =
        EventEnvelope.builder("Tested").occurredAt(occurredAt).payloadJson("{}").build();
    store.insertNew(conn, event);
    return event.eventId();
  }

  @Test
  void eventsAreListedByStatusOldestFirst() {
    Instant at = Instant.parse("2025-06-01T10:00:00Z");
    String second = insert(at.plusSeconds(1));
    String first = insert(at);
    String retried = insert(at.plusSeconds(2));
    String done = insert(at);
    store.markRetry(conn, retried, at, "failed");
    store.markDone(conn, done);

    assertThat(ids(store.events(EventStatus.NEW))).containsExactly(first, second);
    assertThat(ids(store.events(EventStatus.RETRY))).containsExactly(retried);
    assertThat(ids(store.events(EventStatus.DONE))).containsExactly(done);
    assertThat(store.events(EventStatus.DEAD)).isEmpty();
    assertThat(ids(store.pendingEvents())).containsExactly(first, second, retried);
    assertThat(store.size()).isEqualTo(4);
  }

  @Test
  void onlyWhatIsCommittedIsSeen() throws SQLException {
    conn.setAutoCommit(false);
    String id = insert(Instant.now());
    assertThat(store.size()).isZero();
    assertThat(store.find(id)).isEmpty();
    conn.commit();
    assertThat(store.find(id)).isPresent();
  }

  @Test
  void aClearedStoreIsEmpty() {
    insert(Instant.now());
    store.clear();
    assertThat(store.size()).isZero();
  }

  private static List<String> ids(List<OutboxEvent> events) {
    return events.stream().map(OutboxEvent::eventId).toList();
  }
}
