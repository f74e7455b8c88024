package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class InMemoryDatabaseTest {

  private final ManualClock clock = new ManualClock();
  private final InMemoryDatabase database = new InMemoryDatabase(clock);
  private final InMemoryOutboxStore store = new InMemoryOutboxStore(database);

  private static EventEnvelope event() {
    return EventEnvelope.ofJson("Tested", "{}");
  }

  @Test
  void aConnectionThatIsClosedRollsBack() throws SQLException {
    try (Connection conn = database.getConnection()) {
      conn.setAutoCommit(false);
      store.insertNew(conn, event());
    }
    assertThat(store.size()).isZero();
  }

  @Test
  void turningAutoCommitOnCommits() throws SQLException {
    try (Connection conn = database.getConnection()) {
      conn.setAutoCommit(false);
      store.insertNew(conn, event());
      conn.setAutoCommit(true);
    }
    assertThat(store.size()).isOne();
  }

  @Test
  void aPoolMayGiveConnectionsWithAutoCommitOff() throws SQLException {
    database.setAutoCommitByDefault(false);
    try (Connection conn = database.getConnection()) {
      assertThat(conn.getAutoCommit()).isFalse();
      store.insertNew(conn, event());
      conn.commit();
    }
    assertThat(store.size()).isOne();
  }

  @Test
  void aTransactionSeesItsOwnChanges() throws SQLException {
    try (Connection conn = database.getConnection()) {
      conn.setAutoCommit(false);
      EventEnvelope event = event();
      store.insertNew(conn, event);
      store.markDone(conn, event.eventId());
      assertThat(store.findExisting(conn, List.of(event.eventId()))).hasSize(1);
      assertThat(store.find(event.eventId())).isEmpty();
      conn.commit();
      assertThat(store.find(event.eventId()).orElseThrow().status()).isEqualTo(EventStatus.DONE);
    }
  }

  @Test
  void anInsertWaitsForAnotherOfTheSameId() throws Exception {
    EventEnvelope event = event();
    try (Connection first = database.getConnection();
        Connection second = database.getConnection()) {
      first.setAutoCommit(false);
      store.insertNew(first, event);
      Thread waiting = new Thread(() -> store.insertNew(second, event));
      waiting.start();
      Await.until(
          "the second to wait",
          Duration.ofSeconds(60),
          () -> waiting.getState() == Thread.State.TIMED_WAITING);
      first.rollback();
      waiting.join(10_000);
    }
    assertThat(store.size()).isOne();
  }

  @Test
  void aChangeDoesNotWaitForEver() throws SQLException {
    database.setLockTimeout(Duration.ofMillis(1));
    EventEnvelope event = event();
    try (Connection first = database.getConnection();
        Connection second = database.getConnection()) {
      store.insertNew(first, event);
      first.setAutoCommit(false);
      store.lockRow(first, event.eventId());
      assertThatThrownBy(() -> store.markDone(second, event.eventId()))
          .hasMessageContaining(event.eventId())
          .hasMessageContaining("locked");
      first.setAutoCommit(true);
      assertThat(store.markDone(second, event.eventId())).isOne();
    }
  }

  @Test
  void turningAutoCommitOnIsNoCommitWhenNothingWasDone() throws SQLException {
    try (Connection conn = database.getConnection()) {
      conn.setAutoCommit(false);
      store.pollPending(conn, clock.instant(), Duration.ZERO, 1);
      conn.setAutoCommit(true);
    }
    assertThat(database.faults().calls(StoreOperation.COMMIT)).isZero();
  }

  @Test
  void connectionsAreThemselves() throws SQLException {
    try (Connection first = database.getConnection();
        Connection second = database.getConnection()) {
      assertThat(first).isEqualTo(first).isNotEqualTo(second).hasSameHashCodeAs(first);
      assertThat(first.toString()).startsWith("in-memory connection");
      assertThat(first.isValid(1)).isTrue();
      assertThat(first.isWrapperFor(String.class)).isFalse();
      assertThatThrownBy(() -> first.unwrap(String.class)).isInstanceOf(SQLException.class);
      first.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      assertThat(first.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
  }

  @Test
  void savepointsNeedATransaction() throws SQLException {
    try (Connection conn = database.getConnection()) {
      assertThatThrownBy(conn::setSavepoint).hasMessageContaining("auto-commit is on");
      conn.setAutoCommit(false);
      Savepoint savepoint = conn.setSavepoint("named");
      assertThat(savepoint.getSavepointName()).isEqualTo("named");
      conn.setAutoCommit(true);
      assertThatThrownBy(() -> conn.rollback(savepoint)).hasMessageContaining("auto-commit is on");
    }
  }

  @Test
  void aReadOnlyConnectionWritesNothing() throws SQLException {
    try (Connection conn = database.getConnection()) {
      conn.setReadOnly(true);
      assertThat(conn.isReadOnly()).isTrue();
      assertThatThrownBy(() -> store.insertNew(conn, event())).hasMessageContaining("read-only");
    }
  }

  @Test
  void openConnectionsAreCounted() throws SQLException {
    Connection conn = database.getConnection();
    assertThat(database.openConnections()).isOne();
    conn.close();
    conn.close();
    assertThat(conn.isClosed()).isTrue();
    assertThat(database.openConnections()).isZero();
    assertThatThrownBy(conn::getAutoCommit)
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> store.insertNew(conn, event())).hasMessageContaining("closed");
  }

  @Test
  void connectionsKnowNoSql() throws SQLException {
    try (Connection conn = database.getConnection()) {
      assertThatThrownBy(() -> conn.prepareStatement("SELECT 1"))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("prepareStatement()");
      assertThatThrownBy(conn::commit).hasMessageContaining("auto-commit is on");
    }
  }

  @Test
  void connectionsOfAnotherDatabaseAreRefused() throws SQLException {
    try (Connection other = new InMemoryDatabase().getConnection()) {
      assertThatThrownBy(() -> store.insertNew(other, event()))
          .hasMessageContaining("another InMemoryDatabase");
    }
  }

  @Test
  void wrappedConnectionsWork() throws SQLException {
    try (Connection conn = database.getConnection()) {
      Connection wrapper =
          (Connection)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (proxy, method, args) -> method.invoke(conn, args));
      store.insertNew(wrapper, event());
    }
    assertThat(store.size()).isOne();
  }

  @Test
  void theTimeIsThatOfTheClock() throws SQLException {
    clock.set(Instant.parse("2025-02-03T04:05:06.123456789Z"));
    try (Connection conn = database.getConnection()) {
      assertThat(store.currentTime(conn)).contains(Instant.parse("2025-02-03T04:05:06.123456Z"));
    }
  }
}
