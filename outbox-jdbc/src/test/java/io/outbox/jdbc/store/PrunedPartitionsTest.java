package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingQuery;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events are looked for in their own partitions only; who looks into one locks it. */
class PrunedPartitionsTest {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final int SIZE = 1_000;
  private static final int MANY = 40;
  private static final Instant AT = Instant.parse("2030-06-01T10:00:00Z");

  private final PostgresOutboxStore store = new PostgresOutboxStore();
  private Database database;
  private Connection conn;

  @BeforeEach
  void fourPartitions() throws SQLException {
    database = TestDatabase.POSTGRES.fresh();
    new PartitionRotation("outbox_event", SIZE, 4, Duration.ofSeconds(30))
        .create(database.dataSource());
    conn = database.dataSource().getConnection();
    conn.setAutoCommit(false);
  }

  @AfterEach
  void close() throws SQLException {
    conn.close();
    database.close();
  }

  /** Events whose numbers begin with {@code seq}. */
  private void insert(int seq) {
    JDBC.query(
        conn,
        "SELECT setval(pg_get_serial_sequence('outbox_event', 'seq'), ?, false)",
        row -> row.getLong(1),
        seq);
    store.insertAll(
        conn,
        IntStream.range(0, MANY)
            .mapToObj(i -> NewEvent.unleased(EventEnvelope.ofJson("Tested", "{}")))
            .toList());
  }

  /** Claimed events whose numbers begin with {@code seq}. */
  private List<OutboxEvent> claimed(int seq) throws SQLException {
    insert(seq);
    List<OutboxEvent> events =
        store
            .fetchPending(
                conn,
                new PendingQuery(
                    AT, Duration.ZERO, MANY, AT.minusSeconds(60), "me", 1 << 20, List.of(), null))
            .events();
    assertThat(events).hasSize(MANY).extracting(OutboxEvent::seq).contains((long) seq);
    conn.commit();
    return events;
  }

  private void assertWritten(Collection<EventRef> refs, Function<EventRef, Outcome> outcome) {
    assertThat(store.recordOutcomes(conn, refs.stream().map(outcome).toList()))
        .containsOnly(OutcomeResult.WRITTEN);
  }

  private static List<EventRef> refs(List<OutboxEvent> events) {
    return events.stream().map(OutboxEvent::ref).toList();
  }

  private static List<String> ids(List<OutboxEvent> events) {
    return events.stream().map(OutboxEvent::eventId).toList();
  }

  /** The partitions that this transaction has looked into. */
  private List<String> partitions() throws SQLException {
    List<String> locked =
        JDBC.query(
            conn,
            """
            SELECT DISTINCT relation::regclass::text FROM pg_locks
            WHERE pid = pg_backend_pid()
              AND relation IN (SELECT inhrelid FROM pg_inherits
                WHERE inhparent = 'outbox_event'::regclass)
            ORDER BY 1
            """,
            row -> row.getString(1));
    conn.commit();
    return locked;
  }

  @Test
  void outcomesOfOnePartitionLeaveTheOthersAlone() throws SQLException {
    assertWritten(refs(claimed(1001)), ref -> Outcome.done(ref, 0, AT));
    assertThat(partitions()).containsExactly("outbox_event_s1001");

    assertWritten(refs(claimed(2001)), ref -> Outcome.retry(ref, 1, AT, "failed"));
    assertThat(partitions()).containsExactly("outbox_event_s2001");

    assertWritten(refs(claimed(3001)), ref -> Outcome.deleted(ref, 0, AT));
    assertThat(partitions()).containsExactly("outbox_event_s3001");
  }

  @Test
  void leasesOfOnePartitionLeaveTheOthersAlone() throws SQLException {
    List<OutboxEvent> events = claimed(1001);
    assertThat(store.renewLeases(conn, refs(events), AT)).containsAll(ids(events));
    assertThat(partitions()).containsExactly("outbox_event_s1001");

    assertThat(store.releaseLeases(conn, refs(events))).isEmpty();
    assertThat(partitions()).containsExactly("outbox_event_s1001");
  }

  @Test
  void R1_outcomesOfTwoPartitionsAreWrittenToBoth() throws SQLException {
    assertWritten(refs(claimed(2001 - MANY / 2)), ref -> Outcome.done(ref, 0, AT));
    assertThat(partitions()).containsExactly("outbox_event_s1001", "outbox_event_s2001");
  }

  @Test
  void R1_outcomesOfEventsWithoutAKnownNumberAreLookedForEverywhere() throws SQLException {
    List<EventRef> refs =
        claimed(1001).stream()
            .map(event -> event.seq() > 1001 ? event.ref() : withoutSeq(event.ref()))
            .toList();
    assertWritten(refs, ref -> Outcome.done(ref, 0, AT));
    assertThat(partitions()).hasSizeGreaterThan(4);
  }

  private static EventRef withoutSeq(EventRef ref) {
    return new EventRef(ref.eventId(), ref.leaseNumber(), ref.owner());
  }

  /** They keep their numbers when their partition goes. */
  @Test
  void R1_outcomesReachEventsThatWereMovedMeanwhile() throws SQLException {
    List<OutboxEvent> events = claimed(1);
    claimed(1001);
    conn.setAutoCommit(true);
    PartitionRotation rotation =
        new PartitionRotation("outbox_event", SIZE, 4, Duration.ofSeconds(30));
    assertThat(rotation.rotate(conn, AT)).isTrue();
    conn.setAutoCommit(false);
    assertWritten(refs(events), ref -> Outcome.done(ref, 0, AT));
    assertThat(partitions()).containsExactly("outbox_event_kept");
  }
}
