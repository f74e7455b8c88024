package io.outbox.inbox;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DefaultOutboxWriter;
import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What writing once promises, on a real database. */
@Timeout(120)
abstract class OnceWriterContract {

  private static final int THREADS = 8;

  private final TestDatabase kind;
  private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
  private Database database;
  private HikariDataSource dataSource;
  private ExecutorService threads;
  private JdbcTransactionManager transactions;
  private OutboxStore store;
  private OnceWriter once;

  OnceWriterContract(TestDatabase kind) {
    this.kind = kind;
  }

  @BeforeEach
  void create() {
    database = kind.fresh();
    dataSource = database.pooled(THREADS + 2);
    threads = Executors.newFixedThreadPool(THREADS);
    transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    OutboxSchema.create(dataSource);
    InboxSchema.create(dataSource, OnceWriter.DEFAULT_TABLE);
    store = JdbcOutboxStores.detect(dataSource);
    once = new OnceWriter(new DefaultOutboxWriter(txContext, store), txContext);
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    database.close();
  }

  @Test
  void aSecondWriteOfAKeyWritesNothingAndTheTransactionGoesOn() throws SQLException {
    EventEnvelope first = event();
    assertThat(write("order-1", first)).contains(first.eventId());
    transactions.run(
        tx -> {
          assertThat(once.writeIfAbsent("order-1", event())).isEmpty();
          assertThat(once.writeIfAbsent("order-2", event())).isPresent();
          assertThat(once.writeIfAbsent("order-2", event())).isEmpty();
        });
    assertThat(eventIds()).hasSize(2).contains(first.eventId());
  }

  @Test
  void aKeyIsComparedToTheLetter() throws SQLException {
    for (String key : List.of("a", "A", "ä", "a ")) {
      assertThat(write(key, event())).isPresent();
    }
    assertThat(eventIds()).hasSize(4);
  }

  @Test
  void aRollbackFreesTheKey() throws SQLException {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      once.writeIfAbsent("order-1", event());
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    assertThat(eventIds()).isEmpty();
    assertThat(write("order-1", event())).isPresent();
  }

  @Test
  void aFailedWriteFreesTheKeyEvenIfTheCallerCommits() throws SQLException {
    OnceWriter refusing =
        withHook(
            events -> {
              throw new IllegalStateException("not this one");
            });
    transactions.run(
        tx ->
            assertThatThrownBy(() -> refusing.writeIfAbsent("order-1", event()))
                .hasMessage("not this one"));
    assertThat(write("order-1", event())).isPresent();
  }

  @Test
  void aSuppressedEventLeavesItsKeyFree() throws SQLException {
    EventEnvelope unwanted = event();
    OnceWriter choosy =
        withHook(events -> events.stream().filter(event -> event != unwanted).toList());
    EventEnvelope wanted = event();
    Map<String, EventEnvelope> batch = Map.of("order-1", unwanted, "order-2", wanted);
    Map<String, String> written = transactions.call(tx -> choosy.writeAllIfAbsent(batch));
    assertThat(written).isEqualTo(Map.of("order-2", wanted.eventId()));
    assertThat(eventIds()).containsExactly(wanted.eventId());
    assertThat(write("order-1", event())).isPresent();
  }

  @Test
  void anEventThatAHookPutInItsPlaceTakesTheKey() throws SQLException {
    EventEnvelope other = event();
    OnceWriter replacing = withHook(events -> List.of(other));
    Optional<String> written = transactions.call(tx -> replacing.writeIfAbsent("order-1", event()));
    assertThat(written).contains(other.eventId());
    assertThat(write("order-1", event())).isEmpty();
    assertThat(eventIds()).containsExactly(other.eventId());
  }

  @Test
  void anEventThatAHookSplitTakesTheKey() throws SQLException {
    EventEnvelope half = event();
    OnceWriter splitting = withHook(events -> List.of(half, event()));
    Optional<String> written = transactions.call(tx -> splitting.writeIfAbsent("order-1", event()));
    assertThat(written).contains(half.eventId());
    assertThat(write("order-1", event())).isEmpty();
    assertThat(eventIds()).hasSize(2);
  }

  @Test
  void aHookThatAddsEventsFreesNoKey() throws SQLException {
    for (int added = 1; added <= 2; added++) {
      List<EventEnvelope> others = new ArrayList<>(batch(List.of("x", "y")).values());
      List<EventEnvelope> instead = new ArrayList<>(others.subList(0, added));
      EventEnvelope wanted = event();
      instead.add(wanted);
      Map<String, EventEnvelope> batch = new LinkedHashMap<>();
      batch.put("dropped-" + added, event());
      batch.put("kept-" + added, wanted);
      OnceWriter changing = withHook(events -> instead);
      Map<String, String> written = transactions.call(tx -> changing.writeAllIfAbsent(batch));
      assertThat(written).isEqualTo(Map.of("kept-" + added, wanted.eventId()));
      assertThat(write("dropped-" + added, event())).isEmpty();
    }
    assertThat(eventIds()).hasSize(5);
  }

  @Test
  void aSecondWriterWaitsForTheFirstAndWritesNothing() throws Exception {
    assertThat(writesBeside(false)).isEmpty();
    assertThat(eventIds()).hasSize(1);
  }

  @Test
  void aSecondWriterWritesIfTheFirstRollsBack() throws Exception {
    assertThat(writesBeside(true)).isPresent();
    assertThat(eventIds()).hasSize(1);
  }

  /** What a second writer of a key gets that asks while the first has not ended. */
  private Optional<String> writesBeside(boolean firstRollsBack) throws Exception {
    CountDownLatch written = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Future<?> first =
        threads.submit(
            () -> {
              try (var tx = transactions.begin()) {
                once.writeIfAbsent("order-1", event());
                written.countDown();
                assertThat(goOn.await(60, SECONDS)).isTrue();
                if (firstRollsBack) {
                  tx.rollback();
                } else {
                  tx.commit();
                }
              }
              return null;
            });
    assertThat(written.await(60, SECONDS)).isTrue();
    Future<Optional<String>> second = threads.submit(() -> write("order-1", event()));
    awaitWaiting(second);
    goOn.countDown();
    first.get(60, SECONDS);
    return second.get(60, SECONDS);
  }

  /** As far as the database tells that somebody waits. */
  private void awaitWaiting(Future<?> second) {
    String sql =
        switch (kind) {
          case POSTGRES -> "SELECT count(*) FROM pg_locks WHERE NOT granted";
          case H2 ->
              "SELECT count(*) FROM information_schema.sessions WHERE executing_statement"
                  + " LIKE 'INSERT INTO outbox_once%'";
          default ->
              "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
        };
    await().atMost(Duration.ofSeconds(60)).until(() -> second.isDone() || count(sql) > 0);
    assertThat(second).isNotDone();
  }

  /** PostgreSQL does not look beyond its snapshot, nor write beside what it cannot see. */
  @Test
  void aboveReadCommittedNoSecondEventIsWritten() throws Exception {
    try (var tx = transactions.begin()) {
      tx.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (Statement look = tx.connection().createStatement()) {
        look.executeQuery("SELECT count(*) FROM outbox_once").close();
      }
      assertThat(threads.submit(() -> write("order-1", event())).get(60, SECONDS)).isPresent();
      if (kind == TestDatabase.POSTGRES) {
        assertThatThrownBy(() -> once.writeIfAbsent("order-1", event()))
            .isInstanceOf(InboxException.class)
            .hasMessageContaining("another transaction interfered");
      } else {
        Optional<String> second;
        try {
          second = once.writeIfAbsent("order-1", event());
        } catch (InboxException e) {
          assertThat(e).hasMessageContaining("another transaction interfered");
          second = Optional.empty();
        }
        assertThat(second).isEmpty();
      }
      tx.rollback();
    }
    assertThat(eventIds()).hasSize(1);
  }

  @Test
  void batchesWithTheSameKeysInAnotherOrderDoNotBlockEachOther() throws Exception {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      keys.add("order-" + i);
    }
    CountDownLatch together = new CountDownLatch(THREADS);
    List<Future<Map<String, String>>> answers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      List<String> order = new ArrayList<>(keys);
      Collections.rotate(order, i * 5);
      answers.add(
          threads.submit(
              () -> {
                together.countDown();
                assertThat(together.await(60, SECONDS)).isTrue();
                return transactions.call(tx -> once.writeAllIfAbsent(batch(order)));
              }));
    }
    List<String> written = new ArrayList<>();
    for (Future<Map<String, String>> answer : answers) {
      written.addAll(answer.get(60, SECONDS).keySet());
    }
    assertThat(written).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(eventIds()).hasSize(keys.size());
  }

  @Test
  void aBatchIsWrittenInItsOrder() {
    Map<String, EventEnvelope> batch = batch(List.of("c", "a", "b"));
    Map<String, String> written = transactions.call(tx -> once.writeAllIfAbsent(batch));
    assertThat(written.keySet()).containsExactly("c", "a", "b");
    assertThat(
            transactions.<Map<String, String>, RuntimeException>call(
                tx -> once.writeAllIfAbsent(batch(List.of("d", "a")))))
        .containsOnlyKeys("d");
  }

  @Test
  void aKeyIsFreeAgainAfterAChosenTime() throws SQLException {
    write("order-1", event());
    try (Connection conn = dataSource.getConnection()) {
      assertThat(once.purger().purge(conn, Instant.now().minusSeconds(3600), 10)).isZero();
      assertThat(once.purger().purge(conn, Instant.now().plusSeconds(3600), 10)).isOne();
    }
    assertThat(write("order-1", event())).isPresent();
  }

  @Test
  void whatCannotBeAKeyIsRefused() throws SQLException {
    for (String key : List.of("", "  ", "x".repeat(256), "a\0b")) {
      transactions.run(
          tx ->
              assertThatThrownBy(() -> once.writeIfAbsent(key, event()))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageStartingWith("the key "));
    }
    assertThat(eventIds()).isEmpty();
  }

  @Test
  void withoutATransactionNothingIsWritten() throws SQLException {
    assertThatThrownBy(() -> once.writeIfAbsent("order-1", event()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("there is no active transaction");
    assertThat(write("order-1", event())).isPresent();
  }

  @Test
  void aMissingTableIsNamed() throws SQLException {
    OnceWriter elsewhere =
        new OnceWriter(new DefaultOutboxWriter(txContext, store), txContext, "not_there");
    assertThatThrownBy(() -> transactions.call(tx -> elsewhere.writeIfAbsent("order-1", event())))
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("InboxSchema.create(dataSource, \"not_there\")");
    assertThat(eventIds()).isEmpty();
  }

  private OnceWriter withHook(UnaryOperator<List<EventEnvelope>> beforeWrite) {
    WriterHook hook =
        new WriterHook() {
          @Override
          public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
            return beforeWrite.apply(events);
          }
        };
    return new OnceWriter(new DefaultOutboxWriter(txContext, store, hook), txContext);
  }

  private static EventEnvelope event() {
    return EventEnvelope.ofJson("OrderPlaced", "{}");
  }

  private static Map<String, EventEnvelope> batch(List<String> keys) {
    Map<String, EventEnvelope> events = new LinkedHashMap<>();
    keys.forEach(key -> events.put(key, event()));
    return events;
  }

  private Optional<String> write(String key, EventEnvelope event) {
    return transactions.call(tx -> once.writeIfAbsent(key, event));
  }

  private List<String> eventIds() throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet rows = statement.executeQuery("SELECT event_id FROM outbox_event")) {
      List<String> ids = new ArrayList<>();
      while (rows.next()) {
        ids.add(rows.getString(1));
      }
      return ids;
    }
  }

  private long count(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
