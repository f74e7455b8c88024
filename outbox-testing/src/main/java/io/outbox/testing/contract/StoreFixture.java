package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of a store need from its subclass, and what they have in common. */
abstract class StoreFixture {

  /**
   * Stores obey the instants they are given, so the tests happen around this one. It must be past
   * by the store's own time, or an event without a delay would be due earlier.
   */
  static final Instant T0 = Instant.parse("2025-06-01T10:00:00.123456Z");

  static final Duration NO_SKIP = Duration.ZERO;
  static final String OWNER = "node-a";
  static final String OTHER_OWNER = "node-b";

  /** With auto-commit on; closed after the test. */
  Connection conn;

  private final List<Connection> opened = new ArrayList<>();

  /** The store under test; the same one during a test. */
  protected abstract OutboxStore store();

  /** A new connection with auto-commit on. The tests close it. */
  protected abstract Connection openConnection() throws SQLException;

  /** Empties the store; called before each test. */
  protected abstract void deleteAllEvents() throws SQLException;

  /** Reads a row whatever its status is, with every column. */
  protected abstract Optional<OutboxEvent> findEvent(Connection conn, String eventId)
      throws SQLException;

  /** Writes a number into the status column, one that means nothing perhaps. */
  protected abstract void setStatusCode(Connection conn, String eventId, int code)
      throws SQLException;

  /** Locks the row until the transaction of {@code conn} ends, as an UPDATE of it would. */
  protected abstract void lockRow(Connection conn, String eventId) throws SQLException;

  /** Override to return false if rows cannot be locked; {@link #lockRow} is not called then. */
  protected boolean canLockRows() {
    return true;
  }

  /** Override to return false if the store waits for rows that others have locked. */
  protected boolean skipsLockedRows() {
    return true;
  }

  /** Override to return false for a store without leases; their tests are skipped then. */
  protected boolean hasLeases() {
    return true;
  }

  /** Override to return false for a store that only knows when an event is tried next. */
  protected boolean knowsFirstDue() {
    return true;
  }

  /** The store's time. */
  protected Instant now() {
    return store().currentTime(conn).orElseGet(Instant::now);
  }

  @BeforeEach
  final void openFirstConnection() throws SQLException {
    deleteAllEvents();
    conn = open();
  }

  @AfterEach
  final void closeConnections() throws SQLException {
    for (Connection connection : opened) {
      if (!connection.isClosed()) {
        if (!connection.getAutoCommit()) {
          connection.rollback();
          connection.setAutoCommit(true);
        }
        connection.close();
      }
    }
    opened.clear();
  }

  final Connection open() throws SQLException {
    Connection connection = openConnection();
    opened.add(connection);
    assertThat(connection.getAutoCommit()).as("auto-commit of openConnection()").isTrue();
    return connection;
  }

  final Connection openTransaction() throws SQLException {
    Connection connection = open();
    connection.setAutoCommit(false);
    store().prepareTransaction(connection);
    return connection;
  }

  /** Does it as the engine does: in a new transaction, committed at the end. */
  final <T> T inTransaction(SqlFunction<T> work) throws SQLException {
    conn.setAutoCommit(false);
    try {
      store().prepareTransaction(conn);
      T result = work.apply(conn);
      conn.commit();
      return result;
    } finally {
      conn.rollback();
      conn.setAutoCommit(true);
    }
  }

  final void requireLeases() {
    assumeTrue(hasLeases(), "the store has no leases");
  }

  final void requireRowLocks() {
    assumeTrue(canLockRows(), "rows cannot be locked");
  }

  final void requireSkippedRows() {
    requireRowLocks();
    assumeTrue(skipsLockedRows(), "the store waits for locked rows");
  }

  static EventEnvelope.Builder event() {
    return EventEnvelope.builder("Tested").occurredAt(T0).payloadJson("{}");
  }

  static EventEnvelope eventAt(Instant occurredAt) {
    return event().occurredAt(occurredAt).build();
  }

  /** Events one microsecond apart, the first at T0. */
  static List<EventEnvelope> events(int count) {
    List<EventEnvelope> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      events.add(eventAt(T0.plusNanos(i * 1000L)));
    }
    return events;
  }

  final String insert(EventEnvelope event) throws SQLException {
    insert(List.of(event));
    return event.eventId();
  }

  final List<String> insert(List<EventEnvelope> events) throws SQLException {
    inTransaction(
        c -> {
          store().insertAll(c, events.stream().map(NewEvent::unleased).toList());
          return null;
        });
    return events.stream().map(EventEnvelope::eventId).toList();
  }

  /** Inserts an event that is leased from birth. */
  final EventRef insertLeased(EventEnvelope event, String owner, Instant lockedAt)
      throws SQLException {
    Lease lease = new Lease(owner, lockedAt, Lease.BORN);
    inTransaction(
        c -> {
          store().insertAll(c, List.of(new NewEvent(event, lease)));
          return null;
        });
    return EventRef.leased(event.eventId(), lease);
  }

  final String insertIn(EventStatus status) throws SQLException {
    String id = insert(event().build());
    switch (status) {
      case NEW -> {}
      case DONE -> assertThat(store().markDone(conn, id)).isOne();
      case RETRY -> assertThat(store().markRetry(conn, id, T0, "failed")).isOne();
      case DEAD -> assertThat(store().markDead(conn, id, "given up")).isOne();
    }
    return id;
  }

  final OutboxEvent row(String eventId) throws SQLException {
    return findEvent(conn, eventId)
        .orElseThrow(() -> new AssertionError("event " + eventId + " is not there"));
  }

  /** Claims what is due at {@code now}; leases last a minute. */
  final List<OutboxEvent> claim(String owner, Instant now) {
    return claim(owner, now, 10_000);
  }

  final List<OutboxEvent> claim(String owner, Instant now, int limit) {
    return store().claimPending(conn, owner, now, now.minusSeconds(60), NO_SKIP, limit);
  }

  /**
   * Does {@code waiting} while {@code holder} has not ended its transaction; it may wait for that.
   */
  static <T> T during(Connection holder, Callable<T> waiting) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<T> result = thread.submit(waiting);
      try {
        result.get(300, TimeUnit.MILLISECONDS);
      } catch (TimeoutException stillWaiting) {
        assertThat(result).isNotDone();
      }
      holder.commit();
      return result.get(60, TimeUnit.SECONDS);
    } finally {
      thread.shutdownNow();
    }
  }

  /** Inserts an event and claims it for {@link #OWNER} at T0. */
  final OutboxEvent insertClaimed() throws SQLException {
    String id = insert(event().build());
    return claim(OWNER, T0).stream()
        .filter(row -> row.eventId().equals(id))
        .findFirst()
        .orElseThrow();
  }

  /** As the engine does: without a transaction where the store writes them with one statement. */
  final List<OutcomeResult> record(Outcome... outcomes) throws SQLException {
    List<Outcome> all = Arrays.asList(outcomes);
    return store().recordsAtOnce(all)
        ? store().recordOutcomes(conn, all)
        : inTransaction(c -> store().recordOutcomes(c, all));
  }

  final List<OutboxEvent> poll(Instant now) {
    return store().pollPending(conn, now, NO_SKIP, 10_000);
  }

  static List<String> ids(List<OutboxEvent> rows) {
    return rows.stream().map(OutboxEvent::eventId).toList();
  }

  interface SqlFunction<T> {
    T apply(Connection conn) throws SQLException;
  }
}
