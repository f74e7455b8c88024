package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.testing.contract.LaneStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of all lanes on a database, and what only makes sense on one. */
abstract class JdbcLaneStoreContract extends LaneStoreContract {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final Instant AT = Instant.parse("2025-06-01T10:00:00.123456Z");

  final Target target;
  final AbstractJdbcOutboxStore store;

  JdbcLaneStoreContract(Target target) {
    this.target = target;
    this.store = target.store();
  }

  @Override
  protected OutboxStore store() {
    return store;
  }

  @Override
  protected EventPurger purger() {
    return target.purger();
  }

  @Override
  protected Connection openConnection() throws SQLException {
    return target.orderedDataSource().getConnection();
  }

  @Override
  protected void deleteAllEvents() throws SQLException {
    try (Connection conn = openConnection()) {
      target.deleteAllEvents(conn);
    }
  }

  @Override
  protected void resetLanes() throws SQLException {
    execute("UPDATE outbox_event_lane SET owner = NULL, owned_until = NULL, epoch = 0");
    execute("DELETE FROM outbox_event_node");
    execute("DELETE FROM outbox_event_block");
  }

  private void execute(String sql) throws SQLException {
    try (Connection conn = openConnection()) {
      JDBC.update(conn, sql);
    }
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

  private LaneStore laneStore() {
    return store.lanes().orElseThrow();
  }

  private Connection begin() throws SQLException {
    Connection conn = openConnection();
    conn.setAutoCommit(false);
    store.prepareTransaction(conn);
    return conn;
  }

  @Test
  void aKeyWithEventsThatEndWhileItIsReadMayHaveMoreBehindThem() throws SQLException {
    EventKey key = EventKey.named("A-17");
    for (boolean scans : new boolean[] {false, true}) {
      deleteAllEvents();
      try (Connection conn = openConnection();
          Connection other = openConnection()) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          events.add(
              EventEnvelope.builder("Tested")
                  .eventId("e" + i)
                  .orderingKey(key.name())
                  .occurredAt(AT)
                  .payloadJson("{}")
                  .build());
        }
        store.insertAll(conn, events.stream().map(NewEvent::unleased).toList());
        Connection watched =
            AnsweredQueries.of(
                conn,
                sql -> {
                  if (sql.contains("key_lane")) {
                    store.markDone(other, "e0");
                    store.markDone(other, "e1");
                  }
                });

        KeyPage page =
            scans
                ? laneStore().scan(watched, Set.of(key.lane()), null, query(10, 2))
                : laneStore().read(watched, Map.of(key, 0L), query(10, 2));

        // One statement sees both of them, two statements none, but that there may be more.
        assertThat(page.rows().size() == 2 || page.overtaken().contains(key))
            .as("%s, scanned: %s", page, scans)
            .isTrue();
        assertThat(page.rows()).hasSizeLessThanOrEqualTo(2);
      }
    }
  }

  @Test
  void rowsInsertedByPlainSqlHaveAKeyAndALane() throws SQLException {
    try (Connection conn = openConnection()) {
      insertPlain(conn, "aggregate", "'Order'", "'42'");
      insertPlain(conn, "untyped", "NULL", "'42'");
      insertPlain(conn, "none", "NULL", "NULL");

      for (String name : List.of("Order:42", "__GLOBAL__:42", "none")) {
        EventKey key = EventKey.named(name);
        List<OutboxEvent> rows =
            laneStore().scan(conn, Set.of(key.lane()), null, query(10, 10)).rows();
        assertThat(rows).extracting(OutboxEvent::key).contains(key);
        assertThat(laneStore().read(conn, Map.of(key, 0L), query(10, 10)).rows()).hasSize(1);
      }
    }
  }

  private void insertPlain(Connection conn, String id, String aggregateType, String aggregateId) {
    JDBC.update(
        conn,
        """
        INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, tenant_id,
          payload, headers, status, attempts, available_at, created_at)
        VALUES ('%s', 'Type', %s, %s, NULL, '{"a" : 1}', NULL, 0, 0, '%4$s', '%4$s')
        """
            .formatted(id, aggregateType, aggregateId, target.product().parameter(AT)));
  }

  private static KeyQuery query(int maxKeys, int perKey) {
    return new KeyQuery(AT, maxKeys, perKey, 10_000, 1 << 30);
  }

  @Test
  void theDatabaseComputesTheLaneThatTheLibraryComputes() throws SQLException {
    Random random = new Random(42);
    List<NewEvent> events = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      EventEnvelope.Builder event =
          EventEnvelope.builder("Tested").occurredAt(AT).payloadJson("{}");
      String text = randomText(random);
      switch (i % 3) {
        case 0 -> event.orderingKey(text);
        case 1 -> event.aggregateType("Örder").aggregateId(i + text);
        default -> event.aggregateId(i + text);
      }
      events.add(NewEvent.unleased(event.build()));
    }
    try (Connection conn = openConnection()) {
      store.insertAll(conn, events);
      int found = 0;
      for (int lane = 0; lane < EventKey.LANES; lane++) {
        int number = lane;
        KeyPage page = laneStore().scan(conn, Set.of(lane), null, query(10_000, 100));
        assertThat(page.rows()).isNotEmpty().allMatch(row -> row.key().lane() == number);
        found += page.rows().size();
      }
      assertThat(found).isEqualTo(events.size());
    }
  }

  /** Without control characters and halves of pairs. */
  private static String randomText(Random random) {
    return random
        .ints(1 + random.nextInt(20), 0x20, 0x1FAFF)
        .filter(c -> Character.isDefined(c) && !Character.isISOControl(c))
        .filter(c -> c < 0xD800 || c > 0xDFFF)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  @Test
  void whatIsRolledBackWasNotTaken() throws SQLException {
    Duration lease = Duration.ofHours(1);
    try (Connection conn = begin()) {
      assertThat(laneStore().take(conn, "a", lease, 64).lanes()).hasSize(64);
      conn.rollback();
      store.prepareTransaction(conn);
      assertThat(laneStore().take(conn, "b", lease, 64).lanes())
          .hasSize(64)
          .allMatch(lane -> lane.epoch() == 1);
      conn.rollback();
    }
  }

  /** Outcomes of one lane need not wait for each other, except on H2, which has no shared locks. */
  @Test
  void severalTransactionsOfANodeHoldALaneTogether() throws SQLException {
    try (Connection first = begin();
        Connection second = begin()) {
      List<Lane> lanes = laneStore().take(first, "a", Duration.ofHours(1), 3).lanes();
      first.commit();
      store.prepareTransaction(first);
      assertThat(laneStore().lock(first, "a", lanes)).hasSize(3);
      if (target.product() == Product.H2) {
        first.rollback();
      }
      assertThat(laneStore().lock(second, "a", lanes)).hasSize(3);
      first.rollback();
      second.rollback();
    }
  }

  @Test
  void laneMethodsWorkOnAutoCommitConnectionsToo() throws SQLException {
    try (Connection conn = openConnection()) {
      laneStore().check(conn);
      assertThat(laneStore().beat(conn, "a", Duration.ofHours(1)).nodes()).containsExactly("a");
      assertThat(laneStore().take(conn, "a", Duration.ofHours(1), 2).lanes()).hasSize(2);
      assertThat(laneStore().beat(conn, "a", Duration.ofHours(1)).owned().lanes()).hasSize(2);
      assertThat(laneStore().scan(conn, Set.of(1, 2, 3), null, query(1, 1)).rows()).isEmpty();
      assertThat(conn.getAutoCommit()).isTrue();
    }
  }
}
