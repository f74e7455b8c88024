package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches can be large, because their bytes are limited. */
abstract class BatchBytesContract {

  static final Instant AT = Instant.parse("2026-03-01T10:00:00Z");

  final Target target;
  final OutboxStore store;

  BatchBytesContract(Target target, OutboxStore store) {
    this.target = target;
    this.store = store;
  }

  @BeforeEach
  void insert() throws SQLException {
    target.deleteAllEvents();
    Random random = new Random(1);
    try (Connection conn = target.connect()) {
      for (int i = 0; i < 10; i++) {
        byte[] payload = new byte[10_000]; // which no compression makes smaller
        random.nextBytes(payload);
        store.insertNew(
            conn,
            EventEnvelope.builder("Tested")
                .eventId("e" + i)
                .occurredAt(AT.plusMillis(i))
                .payloadBytes(payload, "application/octet-stream")
                .build());
      }
    }
  }

  final PendingBatch fetch(Connection conn, boolean claiming, long maxBytes, PollCursor after) {
    return store.fetchPending(
        conn,
        new PendingQuery(
            AT.plusSeconds(1),
            Duration.ZERO,
            100,
            AT.minusSeconds(60),
            claiming ? "me" : null,
            maxBytes,
            List.of(),
            after));
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R13_aBatchIsLimitedInBytesAndTheNextGoesOn(boolean claiming) throws SQLException {
    assertThat(store.limitsBytes()).isTrue();
    List<String> seen = new ArrayList<>();
    try (Connection conn = target.connect()) {
      PollCursor cursor = null;
      boolean more = true;
      while (more) {
        PendingBatch batch = fetch(conn, claiming, 100_000, cursor);
        assertThat(batch.events()).hasSizeBetween(1, 5);
        batch.events().stream().map(OutboxEvent::eventId).forEach(seen::add);
        cursor = batch.cursor().orElseThrow();
        more = batch.more();
      }
    }

    assertThat(seen).containsExactly("e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9");
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void oneEventAlwaysFits(boolean claiming) throws SQLException {
    try (Connection conn = target.connect()) {
      PendingBatch batch = fetch(conn, claiming, 1, null);

      assertThat(batch.events()).extracting(OutboxEvent::eventId).containsExactly("e0");
      assertThat(batch.more()).isTrue();
    }
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void withRoomForAllThereIsNoMore(boolean claiming) throws SQLException {
    try (Connection conn = target.connect()) {
      PendingBatch batch = fetch(conn, claiming, 1L << 40, null);

      assertThat(batch.events()).hasSize(10);
      assertThat(batch.more()).isFalse();
    }
  }
}
