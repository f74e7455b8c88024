package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.SinglesPage;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What scans from key to key read in a table with very many finished events, one key with very many
 * that are due and one with very many that wait for their first. The statements were planned for
 * good while the table was empty.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class KeyScanCostContract {

  static final JdbcTemplate JDBC = new JdbcTemplate();

  private static final int KEYS = 300;
  private static final int ROUNDS = 12;
  private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
  private static final KeyQuery PAGE = new KeyQuery(NOW, 50, 4, 1000, 1 << 30);
  private static final Set<Integer> LANES =
      IntStream.range(0, EventKey.LANES).boxed().collect(Collectors.toSet());

  /** A step to each key and lane, the rows, and some that were read in vain. */
  private static final int FEW = 1500;

  private final Target target;
  private final int many;
  private final AbstractJdbcOutboxStore store;
  private final LaneStore lanes;
  private Database database;
  private Connection conn;

  KeyScanCostContract(Target target, int many) {
    this.target = target;
    this.many = many;
    this.store = target.store();
    this.lanes = store.lanes().orElseThrow();
  }

  /** Rows and index entries that the connection has read so far. */
  abstract long rowsRead(Connection conn);

  /** A table expression with a column n from 1 to {@code many}, at most a million. */
  abstract String numbers(int many);

  /** Tells the planner what there is. */
  abstract void takeStatistics(Connection conn);

  @BeforeAll
  void fill() throws SQLException {
    database = target.fresh();
    OutboxSchema.create(target.dataSource(database));
    OutboxSchema.createOrderedByKey(target.dataSource(database));
    conn = target.dataSource(database).getConnection();
    takeStatistics(conn);
    conn.setAutoCommit(false);
    for (int i = 0; i < ROUNDS; i++) {
      scanThrough();
      read("hot", "parked", "key-1");
      dueBehind(NOW);
      conn.rollback();
    }
    try (Connection filling = target.dataSource(database).getConnection()) {
      insert(filling, "done", 1, "concat('key-', n % 1000)", NOW, many);
      insert(filling, "hot", 0, "'hot'", NOW, many);
      insert(filling, "first", 2, "'parked'", NOW.plusSeconds(5), 1);
      insert(filling, "waiting", 0, "'parked'", NOW, many);
      for (int i = 0; i < 3; i++) {
        insert(filling, "few" + i, 0, "concat('key-', n)", NOW, KEYS);
      }
    }
  }

  private void insert(
      Connection filling, String id, int status, String key, Instant availableAt, int count) {
    insert(filling, id, "Type", status, key, availableAt, count);
  }

  private void insert(
      Connection filling,
      String id,
      String type,
      int status,
      String key,
      Instant availableAt,
      int count) {
    JDBC.update(
        filling,
        """
        INSERT INTO outbox_event (event_id, event_type, payload, ordering_key, status, available_at,
          created_at, done_at)
        SELECT concat('%s-', 1000000 + n), '%s', '{}', %s, %s, '%s', '%s', %s FROM %s
        """
            .formatted(
                id,
                type,
                key,
                status,
                target.product().parameter(availableAt),
                target.product().parameter(NOW.minusSeconds(1000)),
                status == 1 ? "'" + target.product().parameter(NOW) + "'" : "NULL",
                numbers(count)));
  }

  @AfterAll
  void drop() throws SQLException {
    conn.close();
    database.close();
  }

  private <T> T reading(int atMost, String what, Callable<T> work) throws Exception {
    store.prepareTransaction(conn);
    long before = rowsRead(conn);
    T result = work.call();
    long read = rowsRead(conn) - before;
    assertThat(read).as("rows read to " + what).isLessThanOrEqualTo(atMost);
    conn.rollback();
    return result;
  }

  private KeyPage scan(EventKey after) {
    return lanes.scan(conn, LANES, after, PAGE);
  }

  private void scanThrough() {
    KeyPage page = scan(null);
    while (page.last().isPresent()) {
      page = scan(page.last().get());
    }
  }

  private List<DueEvent> dueBehind(Instant time) {
    PollCursor after = PollCursor.behind(time);
    return lanes.due(conn, LANES, after, NOW.plusSeconds(10), List.of(), 100).events();
  }

  private KeyPage read(String... keys) {
    return lanes.read(
        conn, Stream.of(keys).collect(Collectors.toMap(EventKey::named, key -> 0L)), PAGE);
  }

  @Test
  @Order(1)
  void aScanReadsAboutWhatItReturns() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      List<OutboxEvent> rows = new ArrayList<>();
      EventKey after = null;
      do {
        EventKey last = after;
        KeyPage page = reading(FEW, "scan on behind " + last, () -> scan(last));
        rows.addAll(page.rows());
        after = page.last().orElse(null);
      } while (after != null);
      assertThat(rows).hasSize(KEYS * 3 + 4 + 1);
    }
  }

  @Test
  @Order(2)
  void keysAreReadWithoutReadingAllTheirEvents() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      KeyPage page = reading(60, "read keys", () -> read("hot", "parked", "key-1", "nowhere"));
      assertThat(page.rows()).hasSize(4 + 1 + 3);
    }
  }

  @Test
  @Order(3)
  void keysThatBecameDueAreFoundByWhenTheyDid() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      List<DueEvent> due = reading(20, "look", () -> dueBehind(NOW));
      assertThat(due).extracting(DueEvent::key).containsExactly(EventKey.named("parked"));
    }
  }

  @Test
  @Order(4)
  void theSameHoldsOnceThePlannerKnowsTheTable() throws Exception {
    conn.setAutoCommit(true);
    takeStatistics(conn);
    conn.setAutoCommit(false);
    aScanReadsAboutWhatItReturns();
    keysAreReadWithoutReadingAllTheirEvents();
    keysThatBecameDueAreFoundByWhenTheyDid();
  }

  /** What a key with very many paused events costs, and what a key with one costs. */
  @Test
  @Order(5)
  void keysWhoseFirstEventIsPausedArePassed() throws Exception {
    int keys = 2_000;
    try (Connection filling = target.dataSource(database).getConnection()) {
      insert(filling, "pausedkey", "Paused", 0, "concat('paused-', n)", NOW, keys);
      insert(filling, "pausedrow", "Paused", 0, "'paused'", NOW, many);
    }
    KeyQuery page =
        new KeyQuery(NOW, 500, 4, 1000, 1 << 30, List.of(new EventRoute(null, "Paused")));
    for (int i = 0; i < ROUNDS; i++) {
      List<OutboxEvent> rows = new ArrayList<>();
      int visited = 0;
      EventKey after = null;
      do {
        EventKey last = after;
        KeyPage next =
            reading(10 * FEW, "pass on behind " + last, () -> lanes.scan(conn, LANES, last, page));
        rows.addAll(next.rows());
        visited += next.keys();
        after = next.last().orElse(null);
      } while (after != null);
      assertThat(visited).isBetween(KEYS + 2, keys + 1 + KEYS + 2);
      assertThat(rows).hasSize(KEYS * 3 + 4 + 1);
      reading(60, "look at keys", () -> lanes.read(conn, paused(), page));
    }
  }

  /** They lie before all others on the way by time. */
  @Test
  @Order(6)
  void aWayByTimePassesABoundedNumberOfPausedEvents() throws Exception {
    try (Connection filling = target.dataSource(database).getConnection()) {
      insert(filling, "early", "Paused", 0, "concat('paused-', n)", NOW.minusSeconds(9), many);
      insert(filling, "alone", "Type", 0, "concat('alone-', n)", NOW.minusSeconds(8), 3);
    }
    KeyQuery query =
        new KeyQuery(
            NOW.minusSeconds(1), 9, 1, 9, 1 << 30, List.of(new EventRoute(null, "Paused")));
    List<OutboxEvent> rows = new ArrayList<>();
    PollCursor after = null;
    do {
      PollCursor last = after;
      SinglesPage page =
          reading(20 * FEW, "pass by time", () -> lanes.singles(conn, LANES, last, query))
              .orElse(new SinglesPage(List.of(), 0, Optional.empty()));
      rows.addAll(page.rows());
      after = page.last().orElse(null);
    } while (after != null);
    assertThat(rows).hasSize(hasSingles() ? 3 : 0).allMatch(row -> row.payloadJson() != null);
  }

  private boolean hasSingles() {
    return target == Target.POSTGRES;
  }

  private static Map<EventKey, Long> paused() {
    return Map.of(EventKey.named("paused"), 0L, EventKey.named("paused-7"), 0L);
  }
}
