package io.outbox.jdbc.partition;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.PostgresOutboxStore;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.NewEvent;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PartitionRotationTest {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final int SIZE = 10;
  private static final int MAX_KEPT = 5;
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final Instant ENDED = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant BEFORE = ENDED.plusSeconds(1);

  private final PartitionRotation rotation =
      new PartitionRotation("outbox_event", SIZE, 2, PATIENT, MAX_KEPT);
  private final PostgresOutboxStore store = new PostgresOutboxStore();
  private Database database;
  private DataSource dataSource;
  private Connection conn;

  @BeforeEach
  void create() throws SQLException {
    database = TestDatabase.POSTGRES.fresh();
    dataSource = database.pooled(10);
    rotation.create(dataSource);
    conn = dataSource.getConnection();
  }

  @AfterEach
  void close() throws SQLException {
    conn.close();
    database.close();
  }

  private void write(int count) {
    store.insertAll(
        conn,
        IntStream.range(0, count)
            .mapToObj(i -> NewEvent.unleased(EventEnvelope.ofJson("Tested", "{}")))
            .toList());
  }

  /** All but those with one of these numbers. */
  private void finishAllBut(Integer... seqs) {
    JDBC.update(
        conn,
        "UPDATE outbox_event SET status = 1, done_at = '"
            + ENDED
            + "' WHERE status = 0 AND NOT seq = ANY ('{"
            + String.join(",", List.of(seqs).stream().map(String::valueOf).toList())
            + "}')");
  }

  private List<String> texts(String sql) {
    return JDBC.query(conn, sql, row -> row.getString(1));
  }

  private List<String> seqs(String table) {
    return texts("SELECT seq FROM " + table + " ORDER BY seq");
  }

  private List<String> partitions() {
    return texts(
        "SELECT inhrelid::regclass::text FROM pg_inherits"
            + " WHERE inhparent = 'outbox_event'::regclass ORDER BY 1");
  }

  @Test
  void aNewTableIsAsItShouldBeAndHasPartitionsAhead() {
    OutboxSchema.validate(dataSource);
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.WAITING)).isEmpty();
    assertThat(partitions())
        .containsExactly(
            "outbox_event_default", "outbox_event_kept", "outbox_event_s1", "outbox_event_s11");
    assertThat(rotation.status(conn)).contains(new PartitionStatus(2, 20, 1, true));

    rotation.create(dataSource);
    assertThat(partitions()).hasSize(4);
    assertThat(rotation.ensureAhead(conn)).isZero();
  }

  @Test
  void partitionsAreCreatedAheadOfTheEventsWithAllIndexesAndSettings() {
    OutboxSchema.createOrderedByKey(dataSource);
    write(11);
    assertThat(rotation.ensureAhead(conn)).isEqualTo(2);
    assertThat(rotation.status(conn)).contains(new PartitionStatus(4, 29, 1, true));
    String indexes = "SELECT count(*) FROM pg_index WHERE indrelid = '%s'::regclass";
    assertThat(texts(indexes.formatted("outbox_event_s31")))
        .isEqualTo(texts(indexes.formatted("outbox_event_kept")));
    assertThat(texts("SELECT reloptions FROM pg_class WHERE relname = 'outbox_event_s31'"))
        .isEqualTo(texts("SELECT reloptions FROM pg_class WHERE relname = 'outbox_event_kept'"))
        .doesNotContainNull();
  }

  @Test
  void R1_aPartitionIsDroppedAndItsWaitingEventsKeepTheirNumbers() {
    write(12);
    JDBC.update(conn, "UPDATE outbox_event SET status = 2 WHERE seq = 2");
    JDBC.update(
        conn, "UPDATE outbox_event SET locked_by = 'node', locked_at = now() WHERE seq = 4");
    JDBC.update(conn, "UPDATE outbox_event SET status = 42 WHERE seq = 6");
    JDBC.update(conn, "UPDATE outbox_event SET status = 3, done_at = now() WHERE seq = 8");
    finishAllBut(4, 9, 12);
    List<String> before =
        texts("SELECT e::text FROM outbox_event e WHERE seq IN (2, 4, 6, 8, 9, 12) ORDER BY seq");

    assertThat(rotation.rotate(conn, BEFORE)).isTrue();

    assertThat(seqs("outbox_event_kept")).containsExactly("2", "4", "6", "8", "9");
    assertThat(seqs("outbox_event")).containsExactly("2", "4", "6", "8", "9", "11", "12");
    assertThat(partitions()).doesNotContain("outbox_event_s1");
    assertThat(
            texts(
                "SELECT e::text FROM outbox_event e WHERE seq IN (2, 4, 6, 8, 9, 12) ORDER BY seq"))
        .isEqualTo(before);
    OutboxSchema.validate(dataSource);
    assertThat(rotation.rotate(conn, BEFORE)).isFalse();
  }

  @Test
  void aPartitionStaysWhileItsNumbersAreInUseOrManyOfItsEventsEndedLately() {
    write(10);
    finishAllBut();
    assertThat(rotation.rotate(conn, BEFORE)).isFalse();
    write(1);
    assertThat(rotation.rotate(conn, ENDED)).isFalse();
    assertThat(rotation.rotate(conn, BEFORE)).isTrue();
  }

  @Test
  void aPurgeDropsOnePartitionAfterTheOtherAndThenDeletesWhatWasKept() {
    for (int i = 0; i < 4; i++) {
      write(10);
      rotation.ensureAhead(conn);
    }
    finishAllBut(5, 35);
    OutboxPurgeScheduler purge =
        OutboxPurgeScheduler.builder()
            .connectionProvider(() -> dataSource.getConnection())
            .outboxStore(store)
            .purger(rotation)
            .retention(Duration.ofDays(1))
            .batchSize(3)
            .build();
    purge.runOnce();
    assertThat(seqs("outbox_event")).containsExactly("5", "35");
    assertThat(seqs("outbox_event_kept")).containsExactly("5");

    finishAllBut();
    purge.runOnce();
    assertThat(seqs("outbox_event")).isEmpty();
    assertThat(rotation.status(conn).orElseThrow().keptBelow()).isEqualTo(31);
  }

  @Test
  void aTransactionThatCreatesAPartitionDropsNone() throws SQLException {
    write(12);
    finishAllBut();
    conn.setAutoCommit(false);
    assertThat(rotation.purge(conn, BEFORE, 100)).isEqualTo(100);
    assertThat(seqs("outbox_event")).hasSize(12);
    conn.commit();
    assertThat(rotation.purge(conn, BEFORE, 100)).isEqualTo(100);
    conn.commit();
    conn.setAutoCommit(true);
    assertThat(seqs("outbox_event")).containsExactly("11", "12");
  }

  @Test
  void anEventWhereThePartitionWasToBeDoesNotStopThePurge() {
    write(12);
    finishAllBut();
    JDBC.update(conn, "UPDATE outbox_event SET seq = 25 WHERE seq = 12");
    assertThat(rotation.purge(conn, BEFORE, 100)).isEqualTo(100);
    assertThat(seqs("outbox_event")).doesNotContain("1");
  }

  @Test
  void whileThereIsOnlyTheCurrentPartitionItsOldEventsAreDeletedOneByOne() {
    write(10);
    finishAllBut(3);
    assertThat(rotation.purge(conn, BEFORE, 4)).isEqualTo(4);
    assertThat(rotation.purge(conn, BEFORE, 100)).isEqualTo(5);
    assertThat(seqs("outbox_event")).containsExactly("3");
  }

  @Test
  void R1_aPartitionOfManyWaitingEventsStaysAndItsOldEventsAreDeletedOneByOne() {
    write(12);
    finishAllBut(1, 2, 3, 4, 5, 6);
    assertThat(rotation.rotate(conn, BEFORE)).isFalse();
    assertThat(rotation.purge(conn, BEFORE, 100)).isEqualTo(6);
    assertThat(seqs("outbox_event")).containsExactly("1", "2", "3", "4", "5", "6");
    finishAllBut(1);
    assertThat(rotation.purge(conn, BEFORE, 100)).isEqualTo(100);
    assertThat(seqs("outbox_event")).containsExactly("1");
    assertThat(seqs("outbox_event_kept")).containsExactly("1");
  }

  @Test
  void R1_eventsWithoutAPartitionAreInTheDefaultPartitionUntilTheyAreKeptOrDeleted() {
    write(24);
    assertThat(seqs("outbox_event_default")).containsExactly("21", "22", "23", "24");
    assertThat(rotation.status(conn)).contains(new PartitionStatus(2, 0, 1, false));

    assertThat(rotation.ensureAhead(conn)).isEqualTo(2);
    assertThat(partitions()).contains("outbox_event_s34", "outbox_event_s44");
    // The next events are written into the gap.
    assertThat(rotation.status(conn)).contains(new PartitionStatus(4, 0, 1, false));
    write(20);
    rotation.ensureAhead(conn);
    assertThat(seqs("outbox_event_s34")).hasSize(10);

    finishAllBut(22);
    JDBC.update(conn, "DELETE FROM outbox_event WHERE seq BETWEEN 26 AND 33");
    while (rotation.rotate(conn, BEFORE)) {
      // as many as can be
    }
    assertThat(seqs("outbox_event_default")).isEmpty();
    assertThat(seqs("outbox_event_kept")).contains("22").doesNotContain("34");
    assertThat(seqs("outbox_event")).contains("22", "44");
    assertThat(rotation.status(conn).orElseThrow().keptBelow()).isEqualTo(44);
  }

  @Test
  void theSameIdInTwoPartitionsDoesNotStopTheRotation() {
    write(21);
    JDBC.update(conn, "UPDATE outbox_event SET event_id = 'same' WHERE seq IN (1, 11)");
    finishAllBut(1, 11);
    assertThat(rotation.rotate(conn, BEFORE)).isTrue();
    assertThat(rotation.rotate(conn, BEFORE)).isTrue();
    assertThat(seqs("outbox_event_kept")).containsExactly("1", "11");
  }

  @Test
  void aTableThatOthersUseIsLeftAloneForTheMoment() throws SQLException {
    write(12);
    finishAllBut(12);
    PartitionRotation hasty =
        new PartitionRotation("outbox_event", SIZE, 2, Duration.ofMillis(20), MAX_KEPT);
    try (Connection other = dataSource.getConnection()) {
      other.setAutoCommit(false);
      store.insertNew(other, EventEnvelope.ofJson("Tested", "{}"));
      assertThat(hasty.rotate(conn, BEFORE)).isFalse();
      hasty.ensureAhead(conn);
      conn.setAutoCommit(false);
      assertThat(hasty.purge(conn, BEFORE, 10)).isZero();
      assertThat(seqs("outbox_event")).hasSize(12);
      conn.commit();
      other.commit();
    }
    assertThat(rotation.rotate(conn, BEFORE)).isTrue();
    conn.commit();
    conn.setAutoCommit(true);
    assertThat(seqs("outbox_event")).containsExactly("11", "12", "13");
  }

  /** It would not see what was committed after its snapshot, and drop it. */
  @Test
  void R1_aTransactionWithAnOlderSnapshotRotatesNothing() throws SQLException {
    write(12);
    finishAllBut();
    conn.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    conn.setAutoCommit(false);
    seqs("outbox_event");
    try (Connection other = dataSource.getConnection()) {
      JDBC.update(other, "UPDATE outbox_event SET status = 0, done_at = NULL WHERE seq = 3");
    }
    assertThatThrownBy(() -> rotation.rotate(conn, BEFORE))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("READ COMMITTED");
    conn.rollback();
    conn.setAutoCommit(true);
    assertThat(rotation.rotate(conn, BEFORE)).isTrue();
    assertThat(seqs("outbox_event_kept")).containsExactly("3");
  }

  @Test
  void severalNodesRotateAtTheSameTime() throws Exception {
    for (int i = 0; i < 5; i++) {
      write(10);
      rotation.ensureAhead(conn);
    }
    finishAllBut(5, 15, 25, 35, 45);
    int nodes = 4;
    CyclicBarrier together = new CyclicBarrier(nodes);
    ExecutorService threads = Executors.newFixedThreadPool(nodes);
    try {
      List<Future<Integer>> dropped = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        Callable<Integer> node =
            () -> {
              together.await(30, SECONDS);
              int count = 0;
              try (Connection own = dataSource.getConnection()) {
                for (int turn = 0; turn < 10; turn++) {
                  rotation.ensureAhead(own);
                  count += rotation.rotate(own, BEFORE) ? 1 : 0;
                }
              }
              return count;
            };
        dropped.add(threads.submit(node));
      }
      int sum = 0;
      for (Future<Integer> count : dropped) {
        sum += count.get(60, SECONDS);
      }
      while (rotation.rotate(conn, BEFORE)) {
        sum++;
      }
      assertThat(sum).isEqualTo(4);
    } finally {
      threads.shutdownNow();
    }
    assertThat(seqs("outbox_event_kept")).containsExactly("5", "15", "25", "35");
    assertThat(seqs("outbox_event")).contains("45");
    OutboxSchema.validate(dataSource);
  }

  @Test
  void aTableMayBeInAnotherSchema() {
    JDBC.update(conn, "CREATE SCHEMA shop");
    PartitionRotation other = new PartitionRotation("shop.events", SIZE, 1, PATIENT, MAX_KEPT);
    other.create(dataSource);
    new PostgresOutboxStore("shop.events")
        .insertAll(
            conn,
            IntStream.range(0, 11)
                .mapToObj(i -> NewEvent.unleased(EventEnvelope.ofJson("Tested", "{}")))
                .toList());
    JDBC.update(conn, "UPDATE shop.events SET status = 1 WHERE seq > 1");
    assertThat(other.rotate(conn, Instant.now().plusSeconds(3600))).isTrue();
    assertThat(seqs("shop.events")).containsExactly("1", "11");
    assertThat(PartitionRotation.ddl("shop.events"))
        .contains("CREATE TABLE shop.events_kept PARTITION OF shop.events");
  }

  @Test
  void anOrdinaryTableIsNotRotated() throws SQLException {
    OutboxSchema.create(dataSource, "plain");
    PartitionRotation plain = new PartitionRotation("plain");
    assertThat(plain.status(conn)).isEmpty();
    assertThat(new PartitionRotation("nowhere").status(conn)).isEmpty();
    assertThatThrownBy(() -> plain.purge(conn, BEFORE, 1))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("not in partitions by seq");
    assertThatThrownBy(() -> plain.create(dataSource)).isInstanceOf(OutboxStoreException.class);
    try (Database h2 = TestDatabase.H2.fresh()) {
      assertThatThrownBy(() -> rotation.create(h2.dataSource()))
          .isInstanceOf(OutboxStoreException.class)
          .hasMessageContaining("PostgreSQL");
    }
  }

  @Test
  void R17_badSettingsAreRefused() {
    assertThatThrownBy(() -> new PartitionRotation("bad name"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new PartitionRotation("a".repeat(41)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("40");
    assertThatThrownBy(() -> new PartitionRotation("events", 999, 1, PATIENT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("eventsPerPartition");
    assertThatThrownBy(() -> new PartitionRotation("events", 1000, 0, PATIENT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("partitionsAhead");
    assertThatThrownBy(() -> new PartitionRotation("events", 1000, 1, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lockTimeout");
    assertThatThrownBy(() -> rotation.purge(conn, BEFORE, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
