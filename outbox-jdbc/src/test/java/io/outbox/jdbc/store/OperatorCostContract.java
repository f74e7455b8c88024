package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.Count;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Overview;
import io.outbox.spi.OperatorStore;
import io.outbox.testdb.Database;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What an operator's queries read in a table with very many rows of every kind. The database says
 * what was really read. Every statement is run often enough to be planned for good, first by a
 * planner that was told nothing about the rows.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class OperatorCostContract {

  static final JdbcTemplate JDBC = new JdbcTemplate();

  /** After that many a statement may be run by a plan that was kept. */
  private static final int ROUNDS = 12;

  private static final int PAGES = 3;
  private static final int PAGE = 50;
  private static final int SCAN = 1_000;
  private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
  private static final Instant BEGIN = NOW.minusSeconds(1_000);
  private static final EventFilter NOBODY =
      EventFilter.builder().eventType("Nobody").build(); // no event has this type

  private final Target target;
  private final int many;
  private AbstractJdbcOutboxStore store;
  private OperatorStore operatorStore;
  private Database database;
  private DataSource dataSource;
  private Connection conn;

  /**
   * Prepares the tests.
   *
   * @param many rows in all
   */
  OperatorCostContract(Target target, int many) {
    this.target = target;
    this.many = many;
  }

  /** Rows and index entries that the connection has read so far. */
  abstract long rowsRead(Connection conn);

  /** A table expression with a column n from 1 to {@code count}. */
  abstract String numbers(int count);

  /** An instant so many milliseconds after another, as SQL. */
  abstract String later(String at, String millis);

  /** Keeps the database from learning about the rows by itself. */
  abstract void takeStatisticsByHandOnly(Connection conn);

  abstract void takeStatistics(Connection conn);

  /** How often a row is read again that a search has found, when it is sorted and filtered. */
  abstract int readsOfARow();

  @BeforeAll
  void fill() throws SQLException {
    database = target.fresh();
    dataSource = target.dataSource(database);
    OutboxSchema.create(dataSource);
    OutboxSchema.createOrderedByKey(dataSource);
    try (Connection filling = dataSource.getConnection()) {
      takeStatisticsByHandOnly(filling);
      takeStatistics(filling);
      insert(filling, "done", 1, many * 6 / 10, false);
      insert(filling, "new", 0, many / 10, false);
      insert(filling, "retry", 2, many / 10, false);
      insert(filling, "leased", 0, many / 10, true);
      insert(filling, "dead", 3, many / 10, false);
      insertBlocks(filling, 2_000);
    }
  }

  private void insert(Connection filling, String name, int status, int count, boolean leased) {
    String at = later(literal(BEGIN), "n");
    boolean finished = status == 1 || status == 3;
    JDBC.update(
        filling,
        """
        INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, ordering_key,
          payload, status, attempts, available_at, created_at, done_at, last_error, locked_by,
          locked_at, lease_no)
        SELECT concat('%s-', 1000000 + n), 'Type', 'Order', concat('a', mod(n, 1000)),
          CASE WHEN mod(n, 2) = 0 THEN concat('k', mod(n, 1000)) END,
          '{}', %s, 1, %s, %s, %s, %s, %s, %s, 1 FROM %s
        """
            .formatted(
                name,
                status,
                at,
                at,
                finished ? at : "NULL",
                status > 1 ? "concat('timeout after ', n)" : "NULL",
                leased ? "'other'" : "NULL",
                leased ? at : "NULL",
                numbers(count)));
  }

  private void insertBlocks(Connection filling, int count) {
    JDBC.update(
        filling,
        """
        INSERT INTO outbox_event_block (key_name, lane, event_id, blocked_at)
        SELECT concat('k', n), mod(n, 16), concat('dead-', 1000000 + n), %s FROM %s
        """
            .formatted(literal(NOW), numbers(count)));
  }

  /** With its type, for arithmetic. */
  private String literal(Instant instant) {
    return "TIMESTAMP" + zone() + " '" + target.product().parameter(instant) + "'";
  }

  String zone() {
    return "";
  }

  @AfterAll
  void drop() {
    database.close();
  }

  @BeforeEach
  void begin() throws SQLException {
    store = target.store();
    operatorStore = store.operator().orElseThrow();
    conn = dataSource.getConnection();
    conn.setAutoCommit(false);
  }

  @AfterEach
  void rollBack() throws SQLException {
    conn.rollback();
    conn.close();
  }

  private interface Work<T> {
    T run() throws SQLException;
  }

  private <T> T reading(long atMost, String what, Work<T> work) throws SQLException {
    long before = rowsRead(conn);
    T result = work.run();
    long read = rowsRead(conn) - before;
    assertThat(read).as("rows read to " + what).isBetween(1L, atMost);
    return result;
  }

  /** Counts the statements, and is not closed. */
  private static Connection counting(Connection conn, AtomicInteger statements) {
    return (Connection)
        Proxy.newProxyInstance(
            OperatorCostContract.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, args) -> {
              if (method.getName().equals("prepareStatement")) {
                statements.incrementAndGet();
              }
              try {
                return method.getName().equals("close") ? null : method.invoke(conn, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  @Order(1)
  void anOverviewReadsFewerThanFiveThousandRows() throws SQLException {
    for (int i = 0; i < ROUNDS; i++) {
      Overview overview =
          reading(
              4_999,
              "see the overview",
              () -> operatorStore.overview(conn, NOW, NOW.minusSeconds(300)));
      assertThat(overview.counts()).containsOnlyKeys(EventStatus.values());
      assertThat(overview.counts().values()).allMatch(count -> count.value() >= 500);
      assertThat(overview.blockedKeys()).isEqualTo(Count.atLeast(500));
      assertThat(overview.stuckLeases()).isEqualTo(Count.atLeast(500));
      assertThat(overview.states().get(LifecycleState.LEASED).value()).isGreaterThanOrEqualTo(500);
      assertThat(overview.oldestPending()).isEqualTo(BEGIN.plusMillis(1));
      assertThat(overview.errorsAmong()).isEqualTo(600);
      assertThat(overview.throughput().events()).isBetween(500, 600);
    }
  }

  @Test
  @Order(1)
  void anOverviewIsAHandfulOfStatements() {
    AtomicInteger statements = new AtomicInteger();
    OutboxOperator.of(() -> counting(conn, statements), store).overview();
    assertThat(statements.get()).isBetween(5, 7);
  }

  private EventPage page(EventFilter filter, String after, int limit) {
    return operatorStore.search(conn, filter, after, limit, SCAN);
  }

  private static List<EventFilter> alongAnIndex() {
    return List.of(
        EventFilter.ALL,
        EventFilter.of(EventStatus.NEW),
        EventFilter.of(EventStatus.RETRY),
        EventFilter.of(EventStatus.DONE),
        EventFilter.of(EventStatus.DEAD),
        EventFilter.builder().status(EventStatus.NEW, EventStatus.DEAD).build(),
        EventFilter.builder().state(LifecycleState.PENDING).build(),
        EventFilter.builder().state(LifecycleState.LEASED).build(),
        EventFilter.builder().leasedBefore(NOW).build(),
        EventFilter.builder().idPrefix("done-10").build());
  }

  @Test
  @Order(2)
  void aPageAlongAnIndexReadsAboutWhatItShowsWhereverItIs() throws SQLException {
    for (EventFilter filter : alongAnIndex()) {
      String after = null;
      for (int i = 0; i < PAGES; i++) {
        String from = after;
        EventPage page = reading(scanned(), "find " + filter, () -> page(filter, from, PAGE));
        assertThat(page.events()).as("%s", filter).hasSize(PAGE);
        after = page.next();
      }
    }
  }

  private static List<EventFilter> withoutAnIndex() {
    return List.of(
        NOBODY,
        NOBODY.toBuilder().status(EventStatus.DONE).build(),
        NOBODY.toBuilder().status(EventStatus.DEAD).build(),
        NOBODY.toBuilder().status(EventStatus.RETRY).build(),
        NOBODY.toBuilder().state(LifecycleState.PENDING).build(),
        NOBODY.toBuilder().state(LifecycleState.LEASED).build(),
        NOBODY.toBuilder().idPrefix("done").build(),
        EventFilter.builder().status(EventStatus.DEAD).errorContains("nothing").build(),
        EventFilter.builder().createdUntil(NOW.minusSeconds(10_000)).build(),
        EventFilter.builder().tenantId("nobody").build());
  }

  @Test
  @Order(2)
  void aSearchForWhatIsNotThereEndsAtTheScanLimit() throws SQLException {
    for (EventFilter filter : withoutAnIndex()) {
      String after = null;
      for (int i = 0; i < PAGES; i++) {
        String from = after;
        EventPage page = reading(scanned(), "look for " + filter, () -> page(filter, from, PAGE));
        assertThat(page.events()).as("%s", filter).isEmpty();
        assertThat(page.scanLimited()).as("%s", filter).isEqualTo(page.next() != null);
        after = page.next();
      }
    }
  }

  private int scanned() {
    return readsOfARow() * SCAN + 1_500;
  }

  @Test
  @Order(2)
  void anActionOnAllThatMatchesLooksAtNoMoreThanASearch() throws SQLException {
    List<OperatorAction> actions =
        List.of(
            new OperatorAction.Replay(),
            new OperatorAction.Kill("poison"),
            new OperatorAction.Purge(),
            new OperatorAction.Release(),
            new OperatorAction.Reschedule(NOW));
    for (OperatorAction action : actions) {
      for (EventFilter filter : List.of(EventFilter.ALL, NOBODY)) {
        String after = null;
        for (int i = 0; i < PAGES; i++) {
          String from = after;
          EventPage page =
              reading(
                  scanned(),
                  action.name() + " " + filter,
                  () -> operatorStore.candidates(conn, action, filter, NOW, from, PAGE, SCAN));
          after = page.next();
        }
      }
    }
  }

  private OutboxEvent anEvent() throws SQLException {
    String id = page(EventFilter.of(EventStatus.NEW), null, 1).events().get(0).eventId();
    operatorStore.find(conn, id); // the first asks which columns there are
    return reading(20, "find an event", () -> operatorStore.find(conn, id)).orElseThrow();
  }

  @Test
  @Order(2)
  void oneEventAndItsNeighborsAreFoundWithinTheScanLimit() throws SQLException {
    OutboxEvent event = anEvent();
    for (int i = 0; i < PAGES; i++) {
      reading(scanned(), "find neighbors", () -> operatorStore.neighbors(conn, event, 10, SCAN));
      reading(20, "list an event", () -> operatorStore.summaries(conn, List.of(event.eventId())));
    }
  }

  @Test
  @Order(3)
  void allThatHoldsForAPlannerThatKnowsTheTable() throws SQLException {
    takeStatistics(conn);
    conn.commit();
    anOverviewReadsFewerThanFiveThousandRows();
    aPageAlongAnIndexReadsAboutWhatItShowsWhereverItIs();
    aSearchForWhatIsNotThereEndsAtTheScanLimit();
    anActionOnAllThatMatchesLooksAtNoMoreThanASearch();
    oneEventAndItsNeighborsAreFoundWithinTheScanLimit();
  }

  @Test
  @Order(4)
  void optionalIndexesLeadToTheEvents() throws SQLException {
    OutboxSchema.createOperatorIndexes(dataSource, "outbox_event");
    OutboxEvent event = anEvent();
    List<EventFilter> helped =
        List.of(
            EventFilter.builder().aggregateId("a7").build(),
            EventFilter.builder().orderingKey("k8").build(),
            EventFilter.builder()
                .createdFrom(event.createdAt())
                .createdUntil(event.createdAt().plusMillis(2))
                .build(),
            EventFilter.ALL);
    for (int i = 0; i < ROUNDS; i++) {
      for (EventFilter filter : helped) {
        EventPage page = reading(500, "find " + filter, () -> page(filter, null, PAGE));
        assertThat(page.events()).as("%s", filter).isNotEmpty();
      }
      assertThat(
              reading(
                  scanned(),
                  "find neighbors",
                  () -> operatorStore.neighbors(conn, event, 10, SCAN)))
          .isNotEmpty();
    }
  }
}
