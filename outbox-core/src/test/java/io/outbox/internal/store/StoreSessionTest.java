package io.outbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeDatabase.Fault;
import io.outbox.fakes.FakeStore;
import io.outbox.internal.store.StoreSession.StoreFailure;
import io.outbox.model.EventStatus;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreSessionTest {

  private static final Fault BROKEN =
      () -> {
        throw new SQLException("broken", "08006");
      };

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final StoreSession session = new StoreSession(database, store);

  @BeforeEach
  void seed() {
    store.seed(Events.event("e"));
  }

  @AfterEach
  void everyConnectionIsGivenBack() {
    assertThat(database.openConnections()).isZero();
  }

  private int markDone() {
    return session.inTransaction(conn -> store.markDone(conn, "e"));
  }

  @ParameterizedTest(name = "auto-commit {0}")
  @ValueSource(booleans = {true, false})
  void R1_workIsCommittedHoweverConnectionsCome(boolean autoCommit) {
    database.autoCommit = autoCommit;

    assertThat(markDone()).isEqualTo(1);
    assertThat(store.status("e")).isEqualTo(EventStatus.DONE);
    assertThat(database.commits()).isEqualTo(1);
    assertThat(database.statesAtClose()).containsExactly(autoCommit ? "auto" : "manual");
  }

  @ParameterizedTest(name = "auto-commit {0}")
  @ValueSource(booleans = {true, false})
  void R1_workWithoutATransactionCommitsByItself(boolean autoCommit) {
    database.autoCommit = autoCommit;

    session.withoutTransaction(conn -> store.markDone(conn, "e"));
    assertThat(store.status("e")).isEqualTo(EventStatus.DONE);
    assertThat(database.statesAtClose()).containsExactly(autoCommit ? "auto" : "manual");
  }

  @ParameterizedTest(name = "auto-commit {0}")
  @ValueSource(booleans = {true, false})
  void failedWorkIsRolledBackHoweverConnectionsCome(boolean autoCommit) {
    database.autoCommit = autoCommit;

    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                session.inTransaction(
                    conn -> {
                      store.markDone(conn, "e");
                      throw new IllegalStateException("injected");
                    }))
        .withMessage("injected");
    assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
    assertThat(database.rollbacks()).isEqualTo(1);
    assertThat(database.statesAtClose()).containsExactly(autoCommit ? "auto" : "manual");
  }

  @Test
  void anErrorIsRolledBackToo() {
    assertThatExceptionOfType(StackOverflowError.class)
        .isThrownBy(
            () ->
                session.inTransaction(
                    conn -> {
                      store.markDone(conn, "e");
                      throw new StackOverflowError();
                    }));
    assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
  }

  @Test
  void theStorePreparesEachTransaction() {
    markDone();
    session.read(conn -> store.countDead(conn, null));

    assertThat(store.calls("prepareTransaction")).isEqualTo(1);
  }

  @ParameterizedTest(name = "auto-commit {0}")
  @ValueSource(booleans = {true, false})
  void readingLeavesNoTransactionOpen(boolean autoCommit) {
    database.autoCommit = autoCommit;

    assertThat(session.<Integer>read(conn -> store.countDead(conn, null))).isZero();
    assertThat(database.statesAtClose()).containsExactly(autoCommit ? "auto" : "manual");
  }

  @Test
  void failedReadingLeavesNoTransactionOpen() {
    database.autoCommit = false;

    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                session.read(
                    conn -> {
                      store.countDead(conn, null);
                      throw new IllegalStateException("injected");
                    }));
    assertThat(database.statesAtClose()).containsExactly("manual");
  }

  @Test
  void aDatabaseThatIsAwayIsToldWithItsCause() {
    database.onConnect = BROKEN;

    assertThatExceptionOfType(StoreFailure.class)
        .isThrownBy(this::markDone)
        .withMessageContaining("broken")
        .withCauseInstanceOf(SQLException.class);
  }

  @Test
  void aFailedCommitIsAFailure() {
    database.onCommit = BROKEN;

    assertThatExceptionOfType(StoreFailure.class).isThrownBy(this::markDone);
    assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
  }

  @Test
  void theFirstFailureIsToldWhenTheRollbackFailsToo() {
    database.onRollback = BROKEN;

    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                session.inTransaction(
                    conn -> {
                      throw new IllegalStateException("first");
                    }))
        .withMessage("first");
  }

  @Test
  void whatCouldNotBeRolledBackIsNotCommittedEither() {
    database.onRollback = BROKEN;

    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                session.inTransaction(
                    conn -> {
                      store.markDone(conn, "e");
                      throw new IllegalStateException("half-way");
                    }));
    assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
  }

  @Test
  void aReadThatBreaksItsConnectionTellsWhy() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                session.read(
                    conn -> {
                      conn.close();
                      throw new IllegalStateException("the server is gone");
                    }))
        .withMessage("the server is gone");
  }

  @Test
  void R1_aConnectionThatFailsToCloseDoesNotUndoWhatWasCommitted() {
    database.onClose = BROKEN;

    assertThat(markDone()).isEqualTo(1);
    assertThat(store.status("e")).isEqualTo(EventStatus.DONE);
    assertThat(session.<Integer>read(conn -> store.countDead(conn, null))).isZero();
  }

  @Test
  void R1_aPoolThatThrowsWhenItGetsAConnectionBackDoesNotUndoWhatWasCommitted() {
    database.onClose =
        () -> {
          throw new IllegalStateException("not mine");
        };

    assertThat(markDone()).isEqualTo(1);
    assertThat(store.status("e")).isEqualTo(EventStatus.DONE);
  }

  @Test
  void R1_autoCommitThatCannotBeRestoredDoesNotUndoWhatWasCommitted() {
    int[] calls = {0};
    database.onSetAutoCommit =
        () -> {
          if (++calls[0] == 2) {
            throw new SQLException("broken", "08006");
          }
        };

    assertThat(markDone()).isEqualTo(1);
    assertThat(store.status("e")).isEqualTo(EventStatus.DONE);
  }
}
