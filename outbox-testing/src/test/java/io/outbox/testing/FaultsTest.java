package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultsTest {

  private final InMemoryOutboxStore store = new InMemoryOutboxStore();
  private final Faults faults = store.faults();
  private Connection conn;

  @BeforeEach
  void connect() throws SQLException {
    conn = store.database().getConnection();
  }

  @AfterEach
  void close() throws SQLException {
    conn.close();
  }

  private String insert() {
    EventEnvelope event = EventEnvelope.ofJson("Tested", "{}");
    store.insertNew(conn, event);
    return event.eventId();
  }

  @Test
  void aCallFailsAsOftenAsToldAndDoesNothing() {
    faults.failNext(StoreOperation.INSERT, 2);

    assertThatThrownBy(this::insert).isInstanceOf(InjectedFailureException.class);
    assertThatThrownBy(this::insert).hasMessageContaining("INSERT");
    assertThat(store.size()).isZero();
    insert();
    assertThat(store.size()).isOne();
    assertThat(faults.calls(StoreOperation.INSERT)).isEqualTo(3);
  }

  @Test
  void aCallThrowsWhatItIsTold() {
    faults.failNext(StoreOperation.INSERT, 1, () -> new IllegalArgumentException("mine"));
    assertThatThrownBy(this::insert).hasMessage("mine");
  }

  @Test
  void theEndOfACommitMayBeUnknown() throws SQLException {
    faults.failNextAfterwards(StoreOperation.COMMIT, 1);
    conn.setAutoCommit(false);
    insert();

    assertThatThrownBy(() -> conn.commit()).isInstanceOf(SQLException.class);
    assertThat(store.size()).as("committed all the same").isOne();
  }

  @Test
  void aFailingCommitCommitsNothing() throws SQLException {
    faults.failNext(StoreOperation.COMMIT, 1);
    conn.setAutoCommit(false);
    insert();

    assertThatThrownBy(() -> conn.commit()).isInstanceOf(SQLException.class);
    conn.rollback();
    assertThat(store.size()).isZero();
  }

  @Test
  void anOutageLastsUntilItIsOver() throws SQLException {
    faults.outage();
    assertThatThrownBy(() -> store.database().getConnection()).isInstanceOf(SQLException.class);
    assertThatThrownBy(this::insert).isInstanceOf(InjectedFailureException.class);
    assertThatThrownBy(this::insert).isInstanceOf(InjectedFailureException.class);

    faults.clear();
    store.database().getConnection().close();
    insert();
  }

  @Test
  void oneEventCanBePoison() {
    String poison = insert();
    String other = insert();
    faults.failWhile(call -> call.eventIds().contains(poison));

    assertThatThrownBy(() -> store.markDone(conn, poison))
        .isInstanceOf(InjectedFailureException.class);
    assertThat(store.markDone(conn, other)).isOne();
  }

  @Test
  void anObserverSeesEveryCall() {
    List<StoreCall> calls = new ArrayList<>();
    faults.onCall(calls::add);
    String id = insert();

    assertThat(calls).containsExactly(new StoreCall(StoreOperation.INSERT, List.of(id)));
  }
}
