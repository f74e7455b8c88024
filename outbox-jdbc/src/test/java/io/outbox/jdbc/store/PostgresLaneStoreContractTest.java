package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.spi.NewEvent;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PostgresLaneStoreContractTest extends JdbcLaneStoreContract {

  private static final int PAYLOAD = 1_000;

  PostgresLaneStoreContractTest() {
    super(Target.POSTGRES);
  }

  @Test
  void aScanKeepsToTheBytesButReturnsAtLeastOneEvent() throws SQLException {
    Instant now = Instant.parse("2025-06-01T10:00:00Z");
    List<NewEvent> events = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      events.add(
          NewEvent.unleased(
              EventEnvelope.builder("Tested")
                  .orderingKey("key-" + i % 10)
                  .occurredAt(now)
                  .payloadJson("\"" + "x".repeat(PAYLOAD) + "\"")
                  .build()));
    }
    Set<Integer> all = IntStream.range(0, 64).boxed().collect(Collectors.toSet());
    LaneStore lanes = store.lanes().orElseThrow();
    try (Connection conn = openConnection()) {
      store.insertAll(conn, events);
      KeyQuery one = new KeyQuery(now, 100, 5, 100, 1);
      KeyQuery some = new KeyQuery(now, 100, 5, 100, PAYLOAD * 3 * 5);

      KeyPage page = lanes.scan(conn, all, null, one);
      assertThat(page.rows()).hasSize(1);
      assertThat(page.keys()).isEqualTo(1);
      assertThat(page.last()).isPresent();
      assertThat(lanes.scan(conn, all, null, some).rows()).hasSize(5);
      int rows = 0;
      int keys = 0;
      do {
        rows += page.rows().size();
        keys += page.keys();
        page = lanes.scan(conn, all, page.last().orElseThrow(), some);
      } while (page.last().isPresent());
      assertThat(keys + page.keys()).isEqualTo(10);
      assertThat(rows + page.rows().size()).isBetween(10, 20);
    }
  }

  /** Or a stream of outcomes would let leases end. */
  @Test
  void aRenewalDoesNotWaitForWhatHoldsTheLane() throws SQLException {
    LaneStore lanes = store.lanes().orElseThrow();
    Duration lease = Duration.ofHours(1);
    try (Connection holder = openConnection();
        Connection renewing = openConnection()) {
      List<Lane> mine = lanes.take(holder, "a", lease, 3).lanes();
      holder.setAutoCommit(false);
      assertThat(lanes.lock(holder, "a", mine)).hasSize(3);

      assertThat(lanes.beat(renewing, "a", lease).owned().lanes()).hasSize(3);
      assertThat(lanes.lock(holder, "a", mine)).hasSize(3);
      holder.commit();
    }
  }
}
