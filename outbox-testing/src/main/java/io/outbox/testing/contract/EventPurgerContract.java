package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.spi.EventPurger;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every {@link EventPurger} must do. A subclass names the purger, and a store of the same
 * table to fill it with.
 */
public abstract class EventPurgerContract extends StoreFixture {

  private static final Instant CREATED = T0.minusSeconds(3600);

  protected EventPurgerContract() {}

  /** The purger under test. */
  protected abstract EventPurger purger();

  /** Whether it deletes by {@code created_at} whatever the status is. */
  protected abstract boolean isAgeBased();

  private int purge(Instant before, int limit) throws SQLException {
    return inTransaction(c -> purger().purge(c, before, limit));
  }

  /** An event created at CREATED that ended at {@code doneAt}. */
  private String ended(EventStatus status, Instant doneAt) throws SQLException {
    requireLeases();
    String id = insert(eventAt(CREATED));
    record(new Outcome(EventRef.any(id), status, 0, doneAt, null));
    return id;
  }

  private boolean exists(String id) throws SQLException {
    return findEvent(conn, id).isPresent();
  }

  private List<String> existing(List<String> ids) throws SQLException {
    List<String> existing = new ArrayList<>();
    for (String id : ids) {
      if (exists(id)) {
        existing.add(id);
      }
    }
    return existing;
  }

  @ParameterizedTest
  @EnumSource(
      value = EventStatus.class,
      names = {"DONE", "DEAD"})
  protected void eventsThatEndedBeforeTheInstantAreDeleted(EventStatus status) throws SQLException {
    String before = ended(status, T0.minusNanos(1000));
    String at = ended(status, T0);
    String after = ended(status, T0.plusNanos(1000));

    // All three were created long before.
    assertThat(purge(T0, 100)).isEqualTo(isAgeBased() ? 3 : 1);
    assertThat(exists(before)).isFalse();
    assertThat(exists(at)).isEqualTo(!isAgeBased());
    assertThat(exists(after)).isEqualTo(!isAgeBased());
  }

  @ParameterizedTest
  @EnumSource(
      value = EventStatus.class,
      names = {"DONE", "DEAD"})
  protected void withoutAnEndTheCreationCounts(EventStatus status) throws SQLException {
    String before = insert(eventAt(T0.minusNanos(1000)));
    String at = insert(eventAt(T0));
    setStatusCode(conn, before, status.code());
    setStatusCode(conn, at, status.code());

    assertThat(purge(T0, 100)).isEqualTo(1);
    assertThat(exists(before)).isFalse();
    assertThat(exists(at)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = EventStatus.class,
      names = {"NEW", "RETRY"})
  protected void R1_aPendingEventIsOnlyDeletedByAge(EventStatus status) throws SQLException {
    String id = insertIn(status);

    assertThat(purge(now().plusSeconds(86_400), 100)).isEqualTo(isAgeBased() ? 1 : 0);
    assertThat(exists(id)).isEqualTo(!isAgeBased());
  }

  @Test
  protected void anEventOfUnknownStatusIsOnlyDeletedByAge() throws SQLException {
    String id = insert(eventAt(CREATED));
    setStatusCode(conn, id, 42);

    assertThat(purge(now().plusSeconds(86_400), 100)).isEqualTo(isAgeBased() ? 1 : 0);
    if (!isAgeBased()) {
      // A row of unknown status need not be readable.
      setStatusCode(conn, id, EventStatus.NEW.code());
      assertThat(exists(id)).isTrue();
    }
  }

  @Test
  protected void oldEventsAreDeletedIfTheirStatusAllowsIt() throws SQLException {
    List<String> deleted = new ArrayList<>();
    List<String> kept = new ArrayList<>();
    for (EventStatus status : EventStatus.values()) {
      String before = insert(eventAt(T0.minusNanos(1000)));
      String at = insert(eventAt(T0));
      setStatusCode(conn, before, status.code());
      setStatusCode(conn, at, status.code());
      (isAgeBased() || !status.isPending() ? deleted : kept).add(before);
      kept.add(at);
    }

    assertThat(purge(T0, 100)).isEqualTo(deleted.size());
    assertThat(existing(deleted)).isEmpty();
    assertThat(existing(kept)).isEqualTo(kept);
  }

  @Test
  protected void noMoreThanTheLimitAreDeletedOldestFirst() throws SQLException {
    List<String> ids = insert(events(5));
    for (String id : ids) {
      setStatusCode(conn, id, EventStatus.DONE.code());
    }

    assertThat(purge(T0.plusSeconds(1), 2)).isEqualTo(2);
    assertThat(existing(ids)).isEqualTo(ids.subList(2, 5));
    assertThat(purge(T0.plusSeconds(1), 2)).isEqualTo(2);
    assertThat(purge(T0.plusSeconds(1), 2)).isEqualTo(1);
    assertThat(purge(T0.plusSeconds(1), 2)).isZero();
  }

  @Test
  protected void nothingIsDeletedWhenNothingIsOldEnough() throws SQLException {
    insert(event().build());
    assertThat(purge(T0, 100)).isZero();
  }

  @Test
  protected void anAutoCommitConnectionWillDo() throws SQLException {
    String id = insert(eventAt(CREATED));
    setStatusCode(conn, id, EventStatus.DONE.code());

    assertThat(purger().purge(conn, T0, 10)).isEqualTo(1);
    assertThat(conn.isClosed()).isFalse();
    assertThat(conn.getAutoCommit()).isTrue();
    assertThat(findEvent(open(), id)).isEmpty();
  }

  @Test
  protected void theTransactionIsTheCallers() throws SQLException {
    String id = insert(eventAt(CREATED));
    setStatusCode(conn, id, EventStatus.DONE.code());
    Connection caller = openTransaction();
    assertThat(purger().purge(caller, T0, 10)).isEqualTo(1);
    caller.rollback();

    assertThat(exists(id)).isTrue();
  }

  @Test
  protected void R1_aReplayDuringAPurgeIsNotLost() throws Exception {
    requireRowLocks();
    if (isAgeBased()) {
      requireSkippedRows(); // it would wait, and then delete what is old, whatever its status
    }
    String id = ended(EventStatus.DEAD, T0.minusSeconds(1));
    Connection operator = openTransaction();
    assertThat(store().replayDead(operator, id)).isOne();

    Connection purging = open();
    assertThat(during(operator, () -> purger().purge(purging, T0, 10))).isZero();
    assertThat(row(id).status()).isEqualTo(EventStatus.NEW);
  }
}
