package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Backlog;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingQuery;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every {@link io.outbox.spi.OutboxStore} must do. A subclass says how to reach the store and
 * its rows; tests of leases and deletes are skipped for a store that has none. The tests are
 * protected, so that a subclass can override one and say why it does not hold.
 */
public abstract class OutboxStoreContract extends DeleteContract {

  protected OutboxStoreContract() {}

  @Test
  protected void deadEventsAreListedOldestFirst() throws SQLException {
    String second = insert(eventAt(T0.plusSeconds(2)));
    String first = insert(eventAt(T0.plusSeconds(1)));
    String tie = insert(eventAt(T0.plusSeconds(2)));
    for (String id : List.of(tie, second, first)) {
      store().markDead(conn, id, "given up");
    }
    insertIn(EventStatus.NEW);
    insertIn(EventStatus.RETRY);
    insertIn(EventStatus.DONE);

    List<OutboxEvent> dead = store().queryDead(conn, null, null, 10);
    assertThat(ids(dead)).containsExactly(first, second, tie);
    assertThat(dead.get(0).status()).isEqualTo(EventStatus.DEAD);
    assertThat(dead.get(0).lastError()).isEqualTo("given up");
    assertThat(dead.get(0).doneAt()).isNotNull();
    assertThat(ids(store().queryDead(conn, null, null, 2))).containsExactly(first, second);
  }

  @Test
  protected void deadEventsAreFilteredAndCounted() throws SQLException {
    String placed = dead("Order", "Placed");
    String paid = dead("Order", "Paid");
    String left = dead("User", "Placed");

    assertThat(ids(store().queryDead(conn, "Placed", null, 10))).containsExactly(placed, left);
    assertThat(ids(store().queryDead(conn, null, "Order", 10))).containsExactly(placed, paid);
    assertThat(ids(store().queryDead(conn, "Placed", "User", 10))).containsExactly(left);
    assertThat(store().queryDead(conn, "Paid", "User", 10)).isEmpty();
    assertThat(store().countDead(conn, null)).isEqualTo(3);
    assertThat(store().countDead(conn, "Placed")).isEqualTo(2);
    assertThat(store().countDead(conn, "Nothing")).isZero();
  }

  private String dead(String aggregateType, String eventType) throws SQLException {
    String id =
        insert(
            io.outbox.EventEnvelope.builder(eventType)
                .aggregateType(aggregateType)
                .occurredAt(T0)
                .payloadJson("{}")
                .build());
    store().markDead(conn, id, "given up");
    return id;
  }

  @Test
  protected void theBacklogIsCountedUpToACap() throws SQLException {
    Optional<Backlog> empty = store().backlog(conn, 10);
    assumeTrue(empty.isPresent(), "the store cannot tell its backlog");
    assertThat(empty.get().pending()).isZero();
    assertThat(empty.get().oldestWaiting()).isNull();

    for (int i = 0; i < 3; i++) {
      insert(eventAt(T0.plusSeconds(i)));
    }
    insertIn(EventStatus.RETRY);
    insertIn(EventStatus.DONE);
    insertIn(EventStatus.DEAD);
    insertIn(EventStatus.DEAD);

    Backlog exact = store().backlog(conn, 10).orElseThrow();
    assertThat(exact.count(EventStatus.NEW)).isEqualTo(3);
    assertThat(exact.count(EventStatus.RETRY)).isEqualTo(1);
    assertThat(exact.count(EventStatus.DONE)).isEqualTo(1);
    assertThat(exact.dead()).isEqualTo(2);
    assertThat(exact.pending()).isEqualTo(4);
    assertThat(exact.oldestWaiting()).isEqualTo(T0);

    Backlog capped = store().backlog(conn, 1).orElseThrow();
    assertThat(capped.pending()).isEqualTo(1);
    assertThat(capped.dead()).isEqualTo(1);
  }

  @Test
  protected void aReplayStartsANewLife() throws SQLException {
    String id =
        insert(event().occurredAt(now()).deliverAfter(Duration.ofDays(1)).header("h", "1").build());
    store().markRetry(conn, id, now().plus(Duration.ofDays(2)), "first");
    store().markDead(conn, id, "last");
    OutboxEvent dead = row(id);
    assertThat(dead.replayedAt()).isNull();

    assertThat(store().replayDead(conn, id)).isOne();

    OutboxEvent row = row(id);
    assertThat(row.status()).isEqualTo(EventStatus.NEW);
    assertThat(row.attempts()).isZero();
    assertThat(row.claims()).isZero();
    assertThat(row.starts()).isZero();
    assertThat(row.lastError()).isNull();
    assertThat(row.doneAt()).isNull();
    assertThat(row.lease()).isNull();
    assertThat(row.createdAt()).isEqualTo(dead.createdAt());
    assertThat(row.replayedAt()).isEqualTo(row.availableAt());
    assertThat(row.seq()).isEqualTo(dead.seq());
    assertThat(row.headersJson()).isEqualTo(dead.headersJson());
    assertThat(ids(poll(now().plus(Duration.ofMinutes(1))))).containsExactly(id);
  }

  @Test
  protected void aReplayEndsWhateverLeaseThereWas() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    inTransaction(c -> store().recordStart(c, claimed.ref()));
    setStatusCode(conn, claimed.eventId(), EventStatus.DEAD.code());

    assertThat(store().replayDead(conn, claimed.eventId())).isOne();
    OutboxEvent row = row(claimed.eventId());
    assertThat(row.lease()).isNull();
    assertThat(row.claims()).isZero();
    assertThat(row.starts()).isZero();
  }

  @Test
  protected void R6_aReplayTakesTheNextLeaseNumber() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    store().markDead(conn, claimed.eventId(), "given up");
    store().replayDead(conn, claimed.eventId());

    assertThat(row(claimed.eventId()).leaseNumber()).isEqualTo(claimed.leaseNumber() + 1);
  }

  @ParameterizedTest
  @EnumSource(
      value = EventStatus.class,
      names = {"NEW", "RETRY", "DONE"})
  protected void R6_onlyADeadEventIsReplayed(EventStatus status) throws SQLException {
    String id = insertIn(status);
    OutboxEvent before = row(id);

    assertThat(store().replayDead(conn, id)).isZero();
    assertThat(row(id)).usingRecursiveComparison().isEqualTo(before);
    assertThat(store().replayDead(conn, "nowhere")).isZero();
  }

  @Test
  protected void existingEventsAreFoundWhateverTheirStatus() throws SQLException {
    String fresh = insertIn(EventStatus.NEW);
    String done = insertIn(EventStatus.DONE);
    String dead = insertIn(EventStatus.DEAD);

    assertThat(store().findExisting(conn, List.of(fresh, "nowhere", done, dead)))
        .containsExactlyInAnyOrder(fresh, done, dead);
    assertThat(store().findExisting(conn, List.of())).isEmpty();
  }

  @Test
  protected void manyExistingEventsAreFoundAtOnce() throws SQLException {
    List<String> ids = insert(events(2_500));
    assertThat(store().findExisting(conn, ids)).containsExactlyInAnyOrderElementsOf(ids);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 9, 99})
  protected void anEventOfAnUnknownStatusIsLeftAlone(int code) throws SQLException {
    String id = insert(event().build());
    OutboxEvent before = row(id);
    setStatusCode(conn, id, code);

    assertThat(poll(T0)).isEmpty();
    assertThat(claim(OWNER, T0)).isEmpty();
    assertThat(
            inTransaction(
                    c ->
                        store().fetchPending(c, new PendingQuery(T0, NO_SKIP, 10, T0, OWNER, null)))
                .events())
        .isEmpty();
    assertThat(store().markDone(conn, id)).isZero();
    assertThat(store().markRetry(conn, id, T0, "e")).isZero();
    assertThat(store().markDead(conn, id, "e")).isZero();
    assertThat(store().markDeferred(conn, id, T0)).isZero();
    assertThat(record(Outcome.done(EventRef.any(id), 0, T0))).containsExactly(OutcomeResult.LOST);
    assertThat(store().replayDead(conn, id)).isZero();
    assertThat(store().queryDead(conn, null, null, 10)).isEmpty();
    assertThat(store().countDead(conn, null)).isZero();

    setStatusCode(conn, id, EventStatus.NEW.code());
    assertThat(row(id)).usingRecursiveComparison().isEqualTo(before);
  }

  @Test
  protected void eventsOfUnknownStatusAreCounted() throws SQLException {
    requireLeases();
    insertIn(EventStatus.NEW);
    insertIn(EventStatus.RETRY);
    insertIn(EventStatus.DONE);
    insertIn(EventStatus.DEAD);
    assertThat(store().countUnknownStatus(conn)).isZero();

    setStatusCode(conn, insert(event().build()), 4);
    setStatusCode(conn, insert(event().build()), 77);
    assertThat(store().countUnknownStatus(conn)).isEqualTo(2);
  }

  @Test
  protected void theStoreSaysWhetherItHasLeases() {
    assertThat(store().supportsLeases()).isEqualTo(hasLeases());
  }

  @Test
  protected void R5_theStoreKnowsItsTime() {
    Optional<Instant> first = store().currentTime(conn);
    assumeTrue(first.isPresent(), "the store cannot ask for the time");

    Instant second = store().currentTime(conn).orElseThrow();
    assertThat(second).isBetween(first.get(), first.get().plusSeconds(60));
  }
}
