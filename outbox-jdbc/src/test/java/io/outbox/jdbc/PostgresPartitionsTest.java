package io.outbox.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PostgresPartitionsTest {

  private static final Instant NOON = Instant.parse("2026-11-15T12:00:00Z");

  private final PostgresPartitions partitions = new PostgresPartitions();
  private Database database;
  private DataSource dataSource;
  private JdbcTransactionManager transactions;
  private Outbox outbox;

  @BeforeEach
  void create() {
    database = TestDatabase.POSTGRES.fresh();
    dataSource = database.pooled(10);
    OutboxSchema.createPartitioned(dataSource, "outbox_event");
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    outbox =
        Outbox.writerOnly()
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .build();
  }

  @AfterEach
  void close() {
    outbox.close();
    database.close();
  }

  @Test
  void aNewTableHasPartitionsForTodayAndTheNextWeek() throws SQLException {
    assertThat(names()).hasSize(9).contains("outbox_event_default");
    write(Instant.now());
    write(Instant.now().plus(7, ChronoUnit.DAYS));
    assertThat(texts("SELECT event_id FROM outbox_event_default")).isEmpty();
    OutboxSchema.createPartitioned(dataSource, "outbox_event");
    assertThat(names()).hasSize(9);
    assertThat(texts("SELECT seq FROM outbox_event ORDER BY seq")).containsExactly("1", "2");
  }

  @Test
  void partitionsAreThoseOfDaysOfUtc() throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      try (Statement statement = conn.createStatement()) {
        statement.execute("SET TIME ZONE 'Pacific/Auckland'");
      }
      assertThat(partitions.ensureAhead(conn, Instant.parse("2030-01-31T23:59:59Z"))).isEqualTo(8);
      assertThat(partitions.ensureAhead(conn, Instant.parse("2030-01-31T23:59:59Z"))).isZero();
      assertThat(conn.getAutoCommit()).isTrue();
    }
    assertThat(names()).contains("outbox_event_p20300131", "outbox_event_p20300207");
    write(Instant.parse("2030-01-31T00:00:00Z"));
    write(Instant.parse("2030-01-31T23:59:59.999999Z"));
    write(Instant.parse("2030-02-01T00:00:00Z"));
    assertThat(texts("SELECT event_id FROM outbox_event_p20300131")).hasSize(2);
    assertThat(texts("SELECT event_id FROM outbox_event_p20300201")).hasSize(1);
  }

  @Test
  void manyEventsAreWrittenByOneStatementIntoSeveralDays() throws SQLException {
    List<EventEnvelope> events = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      events.add(event(Instant.now().plus(i % 5, ChronoUnit.DAYS)));
    }
    transactions.run(tx -> outbox.writer().writeAll(events));
    assertThat(texts("SELECT event_id FROM outbox_event ORDER BY seq"))
        .isEqualTo(events.stream().map(EventEnvelope::eventId).toList());
  }

  @Test
  void oldDaysAreDroppedAndNewerOnesStay() throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      partitions.ensureAhead(conn, Instant.parse("2020-05-01T00:00:00Z"));
      write(Instant.parse("2020-05-02T10:00:00Z"));
      write(Instant.parse("2020-05-03T10:00:00Z"));
      assertThat(partitions.dropBefore(conn, Instant.parse("2020-05-03T10:00:01Z"))).isEqualTo(2);
      assertThat(names())
          .doesNotContain("outbox_event_p20200501", "outbox_event_p20200502")
          .contains("outbox_event_p20200503", "outbox_event_p20200508");
      assertThat(texts("SELECT event_id FROM outbox_event")).hasSize(1);
      assertThat(partitions.dropBefore(conn, Instant.parse("2020-05-03T10:00:01Z"))).isZero();
    }
  }

  @Test
  void anEventOfADayWithoutPartitionIsKeptAndPurgedByRow() throws SQLException {
    write(Instant.parse("1999-12-31T00:00:00Z"));
    write(Instant.parse("2000-01-01T00:00:00Z"));
    write(Instant.parse("2099-01-01T00:00:00Z"));
    assertThat(texts("SELECT event_id FROM outbox_event_default")).hasSize(3);
    try (Connection conn = dataSource.getConnection()) {
      assertThat(partitions.purge(conn, Instant.now(), 1)).isEqualTo(1);
      assertThat(partitions.purge(conn, Instant.now(), 10)).isEqualTo(1);
      assertThat(partitions.purge(conn, Instant.now(), 10)).isZero();
    }
    assertThat(texts("SELECT event_id FROM outbox_event_default")).hasSize(1);
  }

  /** Nobody looked after the partitions for too long. */
  @Test
  void aDayWhoseEventsAreInTheDefaultPartitionStaysThere() throws SQLException {
    Instant late = Instant.parse("2031-07-10T08:00:00Z");
    write(late);
    try (Connection conn = dataSource.getConnection()) {
      assertThat(partitions.ensureAhead(conn, late)).isEqualTo(7);
      assertThat(names())
          .doesNotContain("outbox_event_p20310710")
          .contains("outbox_event_p20310711");
      write(late.plusSeconds(1));
      assertThat(texts("SELECT event_id FROM outbox_event_default")).hasSize(2);
      // and in a transaction of the caller's, which goes on
      conn.setAutoCommit(false);
      assertThat(partitions.ensureAhead(conn, late)).isZero();
      conn.commit();
    }
  }

  @Test
  void theSchedulerDoesItAll() throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      partitions.ensureAhead(conn, Instant.parse("2020-05-01T00:00:00Z"));
      write(Instant.parse("2020-05-02T10:00:00Z"));
      try (Statement statement = conn.createStatement()) {
        statement.execute("DROP TABLE " + names().get(names().size() - 1));
      }
    }
    OutboxPurgeScheduler.builder()
        .connectionProvider(dataSource::getConnection)
        .purger(partitions)
        .retention(Duration.ofDays(7))
        .build()
        .runOnce();
    assertThat(names()).hasSize(9);
    assertThat(texts("SELECT event_id FROM outbox_event")).isEmpty();
  }

  @Test
  void severalNodesDoItAtOnce() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(4);
    try {
      CyclicBarrier start = new CyclicBarrier(4);
      for (int round = 0; round < 5; round++) {
        Instant now = NOON.plus(100L * (round + 1), ChronoUnit.DAYS);
        Callable<Integer> node =
            () -> {
              try (Connection conn = dataSource.getConnection()) {
                start.await(30, SECONDS);
                return new PostgresPartitions("outbox_event", 7, Duration.ofSeconds(10))
                    .ensureAhead(conn, now);
              }
            };
        assertThat(sum(nodes.invokeAll(List.of(node, node, node, node)))).isEqualTo(8);
        Callable<Integer> drop =
            () -> {
              try (Connection conn = dataSource.getConnection()) {
                start.await(30, SECONDS);
                return new PostgresPartitions("outbox_event", 7, Duration.ofSeconds(10))
                    .dropBefore(conn, now.plus(8, ChronoUnit.DAYS));
              }
            };
        int expected = round == 0 ? 16 : 8;
        assertThat(sum(nodes.invokeAll(List.of(drop, drop, drop, drop)))).isEqualTo(expected);
      }
    } finally {
      nodes.shutdownNow();
    }
  }

  private static int sum(List<Future<Integer>> futures) throws Exception {
    int sum = 0;
    for (Future<Integer> future : futures) {
      sum += future.get();
    }
    return sum;
  }

  @Test
  void aLongTransactionIsNotWaitedForAndWritersGoOn() throws SQLException {
    PostgresPartitions impatient =
        new PostgresPartitions("outbox_event", 7, Duration.ofMillis(100));
    try (Connection conn = dataSource.getConnection();
        Connection holder = dataSource.getConnection()) {
      partitions.ensureAhead(conn, Instant.parse("2020-05-01T00:00:00Z"));
      holder.setAutoCommit(false);
      try (Statement statement = holder.createStatement()) {
        statement.execute(
            "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at,"
                + " created_at) VALUES ('e', 't', '{}', 0, now(), now())");
      }
      long before = System.nanoTime();
      assertThat(impatient.dropBefore(conn, Instant.parse("2020-05-03T00:00:00Z"))).isZero();
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(60));
      write(Instant.now());
      // created without waiting for it
      assertThat(impatient.ensureAhead(conn, Instant.parse("2032-01-01T00:00:00Z"))).isEqualTo(8);
      holder.rollback();
      assertThat(impatient.dropBefore(conn, Instant.parse("2020-05-03T00:00:00Z"))).isEqualTo(2);
    }
  }

  @Test
  void aTableOfAnotherNameInAnotherSchema() throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute("CREATE SCHEMA shop");
      OutboxSchema.createPartitioned(dataSource, "shop.Orders_Outbox");
      PostgresPartitions other = new PostgresPartitions("shop.Orders_Outbox");
      assertThat(other.ensureAhead(conn)).isZero();
      assertThat(other.dropBefore(conn, Instant.now().plus(30, ChronoUnit.DAYS))).isEqualTo(8);
      assertThat(
              texts(
                  "SELECT inhrelid::regclass FROM pg_inherits"
                      + " WHERE inhparent = 'shop.orders_outbox'::regclass"))
          .containsExactly("shop.orders_outbox_default");
    }
    assertThat(names()).hasSize(9);
    assertThat(OutboxSchema.partitionedDdl("shop.other"))
        .contains("CREATE TABLE shop.other_default PARTITION OF shop.other DEFAULT");
  }

  @Test
  void anOrdinaryTableIsRefused() throws SQLException {
    OutboxSchema.create(dataSource, "ordinary");
    assertThatThrownBy(() -> OutboxSchema.createPartitioned(dataSource, "ordinary"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("is not partitioned");
    try (Connection conn = dataSource.getConnection()) {
      assertThatThrownBy(() -> new PostgresPartitions("ordinary").purge(conn, NOON, 1))
          .isInstanceOf(OutboxStoreException.class)
          .hasMessageContaining("is not partitioned");
    }
    try (Database h2 = TestDatabase.H2.fresh()) {
      assertThatThrownBy(() -> OutboxSchema.createPartitioned(h2.dataSource(), "outbox_event"))
          .hasMessageContaining("for PostgreSQL only");
    }
  }

  @Test
  void boundsAreChecked() {
    assertThatThrownBy(() -> new PostgresPartitions("a b"))
        .hasMessageContaining("is not a table name");
    assertThatThrownBy(() -> new PostgresPartitions("t", 0, Duration.ofSeconds(1)))
        .hasMessageContaining("daysAhead");
    assertThatThrownBy(() -> new PostgresPartitions("t", 7, Duration.ZERO))
        .hasMessageContaining("lockTimeout");
  }

  private void write(Instant occurredAt) {
    transactions.run(tx -> outbox.writer().write(event(occurredAt)));
  }

  private static EventEnvelope event(Instant occurredAt) {
    return EventEnvelope.builder("OrderPlaced").occurredAt(occurredAt).payloadJson("{}").build();
  }

  private List<String> names() throws SQLException {
    return texts(
        "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
            + " WHERE i.inhparent = 'outbox_event'::regclass ORDER BY 1");
  }

  private List<String> texts(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    }
  }
}
