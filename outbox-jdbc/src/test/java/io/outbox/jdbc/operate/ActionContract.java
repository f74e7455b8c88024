package io.outbox.jdbc.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.ActionProgress;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.Count;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OperatorAction.Kill;
import io.outbox.operate.OperatorAction.Purge;
import io.outbox.operate.OperatorAction.Release;
import io.outbox.operate.OperatorAction.Replay;
import io.outbox.operate.OperatorAction.Reschedule;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Preview;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What an operator does. */
abstract class ActionContract extends OperatorContract {

  private static final EventFilter DEAD = EventFilter.of(EventStatus.DEAD);

  ActionContract(Target target) {
    super(target);
  }

  private EventStatus status(String id) throws SQLException {
    return find(id).status();
  }

  private Instant databaseTime() throws SQLException {
    return with(conn -> store.currentTime(conn)).orElseThrow();
  }

  private OutcomeResult record(Outcome outcome) throws SQLException {
    return with(conn -> store.recordOutcomes(conn, List.of(outcome)).get(0));
  }

  private Set<String> change(OperatorAction action, List<EventSummary> events) throws SQLException {
    return with(conn -> operatorStore.change(conn, action, events, T0));
  }

  @Test
  void aReplayGivesADeadOrDoneEventANewLife() throws SQLException {
    dead("a").set("attempts", 7).set("claims", 2).set("starts", 1).set("lease_no", 5).insert();
    done("b").insert();
    Instant before = databaseTime();

    assertThat(operator.perform(new Replay(), List.of("a", "b", "nowhere"))).isEqualTo(2);
    for (String id : List.of("a", "b")) {
      OutboxEvent event = find(id);
      assertThat(event.status()).isEqualTo(EventStatus.NEW);
      assertThat(event.attempts()).isZero();
      assertThat(event.claims()).isZero();
      assertThat(event.starts()).isZero();
      assertThat(event.lastError()).isNull();
      assertThat(event.doneAt()).isNull();
      assertThat(event.availableAt()).isAfterOrEqualTo(before);
      assertThat(event.replayedAt()).isEqualTo(event.availableAt());
    }
    assertThat(find("a").leaseNumber()).isEqualTo(6);
    assertThat(operator.perform(new Replay(), "a")).as("it is NEW").isFalse();
  }

  @Test
  void aKilledEventIsDeadForTheReasonAndItsNodeCannotReviveIt() throws SQLException {
    fresh("a").leased("node", T0).insert();
    OutboxEvent held = find("a");

    assertThat(operator.perform(new Kill("poison\u0000 pill"), "a")).isTrue();
    OutboxEvent killed = find("a");
    assertThat(killed.status()).isEqualTo(EventStatus.DEAD);
    assertThat(killed.lastError()).isEqualTo("poison\uFFFD pill");
    assertThat(killed.doneAt()).isNotNull();
    assertThat(killed.lease()).isNull();

    assertThat(operator.perform(new Replay(), "a")).isTrue();
    assertThat(record(Outcome.done(held.ref(), 0, T0))).isEqualTo(OutcomeResult.LOST);
    assertThat(status("a")).isEqualTo(EventStatus.NEW);
  }

  @Test
  void aKilledEventKeepsItsLastErrorBesideTheReason() throws SQLException {
    retry("a").error("connection refused\n  at some.Class").insert();
    retry("b").error("x".repeat(4000)).insert();

    assertThat(operator.perform(new Kill("the customer is gone"), List.of("a", "b"))).isEqualTo(2);

    assertThat(find("a").lastError())
        .isEqualTo("the customer is gone\nLast error: connection refused\n  at some.Class");
    assertThat(find("b").lastError())
        .hasSize(4000)
        .startsWith("the customer is gone\nLast error: x");
  }

  @Test
  void aReleasedEventIsNotItsNodesAnyMore() throws SQLException {
    retry("a").leased("node", T0).set("claims", 2).insert();
    retry("b").insert();
    EventRef held = EventRef.leased("a", new Lease("node", T0, 3));

    assertThat(operator.perform(new Release(), List.of("a", "b"))).isEqualTo(1);
    OutboxEvent released = find("a");
    assertThat(released.lease()).isNull();
    assertThat(released.claims()).as("suspicion stays").isEqualTo(2);
    Set<String> renewed = with(conn -> store.renewLeases(conn, List.of(held), T0));
    assertThat(renewed).isEmpty();
    assertThat(record(Outcome.done(held, 0, T0))).isEqualTo(OutcomeResult.LOST);
  }

  @Test
  void onlyWhatNobodyHasLeasedIsRescheduled() throws SQLException {
    Instant at = Instant.parse("2031-01-01T00:00:00.000001Z");
    fresh("a").insert();
    retry("b").insert();
    fresh("c").leased("node", T0).insert();
    done("d").insert();

    assertThat(operator.perform(new Reschedule(at), List.of("a", "b", "c", "d"))).isEqualTo(2);
    assertThat(find("a").availableAt()).isEqualTo(at);
    assertThat(find("b").availableAt()).isEqualTo(at);
    assertThat(find("b").status()).isEqualTo(EventStatus.RETRY);
    assertThat(find("c").availableAt()).isEqualTo(T0);
  }

  /** A node without leases has it, and does not know. */
  @Test
  void R6_anOutcomeOfBeforeDoesNotEndARescheduledEvent() throws SQLException {
    Instant at = Instant.parse("2131-01-01T00:00:00Z");
    fresh("later").insert();
    fresh("now").insert();
    EventRef later = find("later").ref();
    EventRef now = find("now").ref();

    assertThat(operator.perform(new Reschedule(at), List.of("later"))).isEqualTo(1);
    assertThat(operator.perform(new Reschedule(T0), List.of("now"))).isEqualTo(1);
    assertThat(record(Outcome.done(later, 0, T0))).isEqualTo(OutcomeResult.LOST);
    assertThat(record(Outcome.done(now, 0, T0))).isEqualTo(OutcomeResult.WRITTEN);
    assertThat(find("later").availableAt()).isEqualTo(at);
  }

  @Test
  void aPurgeDeletesWhatIsFinishedOnly() throws SQLException {
    fresh("a").insert();
    retry("b").insert();
    done("c").insert();
    dead("d").insert();

    assertThat(operator.perform(new Purge(), EventFilter.ALL).changed()).isEqualTo(2);
    assertThat(ids(EventFilter.ALL)).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void whatIsNotAsItWasReadIsLeftAlone() throws SQLException {
    dead("a").insert();
    List<EventSummary> read = with(conn -> operatorStore.summaries(conn, List.of("a")));
    assertThat(operator.perform(new Replay(), "a")).isTrue();
    execute("UPDATE outbox_event SET status = 3 WHERE event_id = 'a'");

    assertThat(change(new Replay(), read)).isEmpty();
    assertThat(status("a")).isEqualTo(EventStatus.DEAD);
  }

  @Test
  void aLeaseThatWasRenewedSinceIsNotReleased() throws SQLException {
    fresh("a").leased("node", T0).insert();
    List<EventSummary> read = with(conn -> operatorStore.summaries(conn, List.of("a")));
    EventRef held = EventRef.leased("a", new Lease("node", T0, 3));
    with(conn -> store.renewLeases(conn, List.of(held), T0.plusSeconds(9)));

    assertThat(change(new Release(), read)).isEmpty();
    assertThat(find("a").lease().owner()).isEqualTo("node");
  }

  @Test
  void aBulkActionChangesAllThatMatchesInBatchesAndTellsItsProgress() throws SQLException {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 1_234; i++) {
      rows.add(dead("dead-" + i).type(i % 2 == 0 ? "Even" : "Odd").done(T0.plusSeconds(i / 100)));
    }
    insertAll(rows);
    EventFilter even = EventFilter.builder().status(EventStatus.DEAD).eventType("Even").build();
    // a look stops counting after a while, which is short on a busy machine
    Preview preview =
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .until(
                () -> operator.preview(new Replay(), even),
                look -> look.count().equals(Count.exactly(617)));
    assertThat(preview.sample()).hasSize(10).allMatch(event -> event.eventType().equals("Even"));

    List<ActionProgress> told = new ArrayList<>();
    ActionProgress end =
        operator.perform(
            new Replay(),
            even,
            Long.MAX_VALUE,
            progress -> {
              told.add(progress);
              return true;
            });
    assertThat(end.changed()).isEqualTo(617);
    assertThat(end.finished()).isTrue();
    assertThat(told).hasSizeGreaterThan(1).last().isEqualTo(end);
    assertThat(told.get(0).changed()).isBetween(1L, 500L);
    assertThat(ids(DEAD)).hasSize(617);
    AuditEntry audit = operator.audit(null, 10).get(0);
    assertThat(audit.who()).isEqualTo("ada");
    assertThat(audit.what()).isEqualTo("replay");
    assertThat(audit.filter()).isEqualTo("status=DEAD type=Even");
    assertThat(audit.count()).isEqualTo(617);
    assertThat(audit.finishedAt()).isAfterOrEqualTo(audit.at());
  }

  @Test
  void aBulkActionEndsWhereItsLimitOrItsListenerSays() throws SQLException {
    for (int i = 0; i < 30; i++) {
      dead("dead-" + i).insert();
    }
    ActionProgress limited = operator.perform(new Replay(), DEAD, 7, ActionProgress.Listener.NONE);
    assertThat(limited.changed()).isEqualTo(7);
    assertThat(limited.finished()).isFalse();
    assertThat(operator.perform(new Replay(), DEAD, 23, progress -> false).changed()).isEqualTo(23);
    assertThat(operator.perform(new Replay(), DEAD).changed()).isZero();
    assertThat(operator.audit(null, 10)).extracting(AuditEntry::count).containsExactly(0L, 23L, 7L);
  }

  @Test
  void anActionThatIsCutOffLeavesATrueAudit() throws SQLException {
    insertAll(IntStream.range(0, 600).mapToObj(i -> dead("dead-" + i)).toList());
    assertThatThrownBy(
            () ->
                operator.perform(
                    new Replay(),
                    DEAD,
                    Long.MAX_VALUE,
                    progress -> {
                      throw new IllegalStateException("killed");
                    }))
        .hasMessage("killed");
    AuditEntry audit = operator.audit(null, 1).get(0);
    assertThat(audit.count()).isEqualTo(600 - ids(DEAD).size()).isPositive();
    assertThat(audit.finishedAt()).isNull();
  }

  @Test
  void theAuditNamesEachOfTheEventsThatWereNamed() {
    List<String> ids =
        IntStream.range(0, OutboxOperator.BATCH).mapToObj("%036d"::formatted).toList();

    operator.perform(new Replay(), ids);

    assertThat(operator.audit(null, 1).get(0).filter()).isEqualTo("id=" + String.join(",", ids));
  }

  @Test
  void theAuditKeepsTheBeginningOfWhatIsTooLong() {
    operator.perform(new Replay(), List.of("x" + "\uD83D\uDE00".repeat(20_000)));

    assertThat(operator.audit(null, 1).get(0).filter()).startsWith("id=x\uD83D\uDE00");
  }

  /** Nodes read no more of them. */
  @Test
  void morePausesThanAreReadAreRefused() throws SQLException {
    with(
        conn -> {
          for (int i = 0; i < 1000; i++) {
            DeliveryPause pause = new DeliveryPause(null, "T" + i, "ada", Instant.now(), null);
            operatorStore.pause(conn, pause);
          }
          return null;
        });

    assertThat(operator.pause(null, "T7", null)).isFalse();
    assertThatThrownBy(() -> operator.pause(null, "Placed", null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("1000 pauses");
    operator.resume(null, "T7");
    assertThat(operator.pause(null, "Placed", null)).isTrue();
    assertThat(operator.pauses()).extracting(DeliveryPause::eventType).contains("Placed");
  }

  @Test
  void pausesAreKeptUntilTheyAreEnded() {
    assertThat(operator.pauses()).isEmpty();
    assertThat(operator.pause("Order", "Placed", "broker down")).isTrue();
    assertThat(operator.pause("Order", "Placed", "again")).isFalse();
    assertThat(operator.pause("Order", null, null)).isTrue();
    assertThat(operator.pause(null, null, null)).isTrue();
    assertThat(operator.pauses())
        .extracting(DeliveryPause::aggregateType, DeliveryPause::eventType, DeliveryPause::reason)
        .containsExactly(
            tuple("Order", "Placed", "broker down"),
            tuple("Order", null, null),
            tuple(null, null, null));
    assertThat(operator.overview().pauses()).isEqualTo(operator.pauses());

    assertThat(operator.resume("Order", null)).isTrue();
    assertThat(operator.resume("Order", null)).isFalse();
    assertThat(operator.pauses()).hasSize(2);
    assertThat(operator.audit(null, 10))
        .extracting(AuditEntry::what, AuditEntry::filter, AuditEntry::count)
        .first()
        .isEqualTo(tuple("resume", "Order/*", 0L));
  }

  @Test
  void pausesOfTenantsAndDestinationsAreKeptUntilTheyAreEnded() {
    OutboxSchema.createHolds(dataSource, "outbox_event");
    assertThat(operator.pauseTenant("acme", "billing")).isTrue();
    assertThat(operator.pauseTenant("acme", "again")).isFalse();
    assertThat(operator.pauseDestination("topic orders", null)).isTrue();
    assertThat(operator.pause(null, "Placed", null)).isTrue();
    assertThat(operator.pauses())
        .extracting(
            DeliveryPause::eventType,
            DeliveryPause::tenantId,
            DeliveryPause::destination,
            DeliveryPause::reason)
        .containsExactly(
            tuple("Placed", null, null, null),
            tuple(null, "acme", null, "billing"),
            tuple(null, null, "topic orders", null));
    assertThat(operator.overview().pauses()).isEqualTo(operator.pauses());
    assertThat(operator.audit(null, 10))
        .extracting(AuditEntry::what, AuditEntry::filter)
        .contains(tuple("pause", "tenant acme"), tuple("pause", "destination topic orders"));

    assertThat(operator.resumeTenant("other")).isFalse();
    assertThat(operator.resumeTenant("acme")).isTrue();
    assertThat(operator.resumeTenant("acme")).isFalse();
    assertThat(operator.resumeDestination("topic orders")).isTrue();
    assertThat(operator.resume(null, "Placed")).isTrue();
    assertThat(operator.pauses()).isEmpty();
    assertThatThrownBy(() -> operator.pauseTenant("", null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anOverviewCountsWhatIsThere() throws SQLException {
    Instant now = databaseTime();
    fresh("a").insert();
    retry("b").available(now.plusSeconds(100)).error("timeout after 15 ms\nat X").insert();
    retry("c").leased("node", now.minusSeconds(400)).error("timeout after 7 ms").insert();
    dead("d").insert();
    for (int i = 0; i < 20; i++) {
      done("done" + i).done(now.minusSeconds(i)).insert();
    }
    var overview = operator.stuckAfter(Duration.ofMinutes(5)).overview();
    assertThat(overview.counts().get(EventStatus.NEW)).isEqualTo(Count.exactly(1));
    assertThat(overview.counts().get(EventStatus.RETRY)).isEqualTo(Count.exactly(2));
    assertThat(overview.counts().get(EventStatus.DEAD)).isEqualTo(Count.exactly(1));
    assertThat(overview.counts().get(EventStatus.DONE)).isEqualTo(Count.exactly(20));
    assertThat(overview.stuckLeases()).isEqualTo(Count.exactly(1));
    assertThat(overview.oldestPending()).isEqualTo(T0);
    assertThat(overview.throughput().perMinute()).isEqualTo(20.0);
    assertThat(overview.errors()).hasSize(2);
    assertThat(overview.errors().get(0).count()).isEqualTo(2);
    assertThat(overview.errorsAmong()).isEqualTo(3);
  }
}
