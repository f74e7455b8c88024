package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AwaitTest {

  private static final Duration SHORT = Duration.ofMillis(5);

  private final ManualClock clock = new ManualClock(Instant.now());
  private final InMemoryDatabase database = new InMemoryDatabase(clock);
  private final InMemoryOutboxStore store = new InMemoryOutboxStore(database);
  private Connection conn;

  @BeforeEach
  void connect() throws SQLException {
    conn = database.getConnection();
  }

  @AfterEach
  void close() throws SQLException {
    conn.close();
  }

  private String insert(Duration delay) {
    EventEnvelope event =
        EventEnvelope.builder("Tested")
            .payloadJson("{}")
            .occurredAt(clock.instant())
            .availableAt(clock.instant().plus(delay))
            .build();
    store.insertNew(conn, event);
    return event.eventId();
  }

  @Test
  void aConditionIsAskedUntilItHolds() {
    AtomicInteger asked = new AtomicInteger();
    Await.until("three", Duration.ofSeconds(60), () -> asked.incrementAndGet() == 3);
    assertThat(asked).hasValue(3);
  }

  @Test
  void anEmptyStoreIsIdle() {
    Await.idle(store, SHORT);
    Await.idle(store, database, SHORT);
    Await.finished(store, SHORT);
    Await.finished(store, database, SHORT);
  }

  @Test
  void whatIsStillDueIsNamed() {
    String id = insert(Duration.ZERO);
    store.markRetry(conn, id, clock.instant(), "broken pipe");

    assertThatThrownBy(() -> Await.idle(store, SHORT))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(id)
        .hasMessageContaining("Tested")
        .hasMessageContaining("RETRY, attempts 1")
        .hasMessageContaining("broken pipe");
    assertThatThrownBy(() -> Await.idle(store, database, SHORT)).hasMessageContaining(id);
  }

  @Test
  void aLeasedEventIsNotFinished() {
    insert(Duration.ZERO);
    store.claimPending(conn, "node-a", clock.instant(), Instant.EPOCH, Duration.ZERO, 1);

    assertThatThrownBy(() -> Await.idle(store, database, SHORT))
        .hasMessageContaining("leased to node-a");
  }

  @Test
  void whatIsNotDueKeepsNobodyFromBeingIdleButFromBeingFinished() {
    String id = insert(Duration.ofHours(1));

    Await.idle(store, SHORT);
    Await.idle(store, database, SHORT);
    assertThatThrownBy(() -> Await.finished(store, SHORT)).hasMessageContaining(id);
    assertThatThrownBy(() -> Await.finished(store, database, SHORT)).hasMessageContaining(id);
  }

  @Test
  void aStoreThatCannotBeReadIsNotIdle() {
    store.faults().outage();

    assertThatThrownBy(() -> Await.idle(store, database, SHORT))
        .hasMessageContaining("cannot be read")
        .hasMessageContaining("CONNECT was told to fail");
    Await.idle(store, SHORT);
  }

  @Test
  void aLongListIsCut() {
    for (int i = 0; i < 30; i++) {
      insert(Duration.ZERO);
    }
    assertThatThrownBy(() -> Await.idle(store, SHORT)).message().endsWith("; and more");
  }
}
