package io.outbox.testing.contract;

import static io.outbox.spi.OutcomeResult.ALREADY_THERE;
import static io.outbox.spi.OutcomeResult.LOCKED;
import static io.outbox.spi.OutcomeResult.LOST;
import static io.outbox.spi.OutcomeResult.WRITTEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Writing what deliveries came to, many at once. */
abstract class OutcomeContract extends LagContract {

  private static final Instant AT = T0.plusSeconds(30);

  private static Outcome outcome(EventStatus status, EventRef ref, int attempts) {
    String error = status == EventStatus.RETRY || status == EventStatus.DEAD ? "why" : null;
    return new Outcome(ref, status, attempts, AT, error);
  }

  @ParameterizedTest(name = "{0}, outcome {1}: {2}")
  @CsvSource({
    "NEW, DONE, WRITTEN", "NEW, RETRY, WRITTEN", "NEW, DEAD, WRITTEN", "NEW, NEW, WRITTEN",
    "RETRY, DONE, WRITTEN", "RETRY, RETRY, WRITTEN", "RETRY, DEAD, WRITTEN", "RETRY, NEW, WRITTEN",
    "DONE, DONE, LOST", "DONE, RETRY, LOST", "DONE, DEAD, LOST", "DONE, NEW, LOST",
    "DEAD, DONE, LOST", "DEAD, RETRY, LOST", "DEAD, DEAD, LOST", "DEAD, NEW, LOST",
  })
  protected void R6_outcomesMovePendingEventsOnly(
      EventStatus from, EventStatus to, OutcomeResult expected) throws SQLException {
    requireLeases();
    String id = insertIn(from);
    OutboxEvent before = row(id);

    assertThat(record(outcome(to, EventRef.any(id), 7))).containsExactly(expected);

    if (expected == LOST) {
      assertThat(row(id)).usingRecursiveComparison().isEqualTo(before);
    } else {
      assertThat(row(id).status()).isEqualTo(to);
    }
  }

  @Test
  protected void doneIsWritten() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    assertThat(record(Outcome.done(claimed.ref(), 2, AT))).containsExactly(WRITTEN);

    OutboxEvent row = row(claimed.eventId());
    assertThat(row.status()).isEqualTo(EventStatus.DONE);
    assertThat(row.doneAt()).isEqualTo(AT);
    assertThat(row.attempts()).isEqualTo(2);
  }

  @Test
  protected void retryIsWritten() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    assertThat(record(Outcome.retry(claimed.ref(), 2, AT, "why"))).containsExactly(WRITTEN);

    OutboxEvent row = row(claimed.eventId());
    assertThat(row.status()).isEqualTo(EventStatus.RETRY);
    assertThat(row.availableAt()).isEqualTo(AT);
    assertThat(row.attempts()).isEqualTo(2);
    assertThat(row.lastError()).isEqualTo("why");
    assertThat(row.doneAt()).isNull();
    assertThat(poll(AT.minusNanos(1000))).isEmpty();
    assertThat(ids(claim(OTHER_OWNER, AT))).containsExactly(claimed.eventId());
  }

  @Test
  protected void deadIsWritten() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    assertThat(record(Outcome.dead(claimed.ref(), 3, AT, "why"))).containsExactly(WRITTEN);

    OutboxEvent row = row(claimed.eventId());
    assertThat(row.status()).isEqualTo(EventStatus.DEAD);
    assertThat(row.doneAt()).isEqualTo(AT);
    assertThat(row.attempts()).isEqualTo(3);
    assertThat(row.lastError()).isEqualTo("why");
  }

  @Test
  protected void deferredIsWritten() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    assertThat(record(Outcome.deferred(claimed.ref(), 1, AT))).containsExactly(WRITTEN);

    OutboxEvent row = row(claimed.eventId());
    assertThat(row.status()).isEqualTo(EventStatus.NEW);
    assertThat(row.availableAt()).isEqualTo(AT);
    assertThat(row.attempts()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void everyOutcomeEndsTheLeaseAndItsCounts(EventStatus status) throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    inTransaction(c -> store().recordStart(c, claimed.ref()));
    assertThat(record(outcome(status, claimed.ref(), 1))).containsExactly(WRITTEN);

    OutboxEvent row = row(claimed.eventId());
    assertThat(row.lease()).isNull();
    assertThat(row.claims()).isZero();
    assertThat(row.starts()).isZero();
    assertThat(row.leaseNumber()).as("never goes back").isEqualTo(claimed.leaseNumber());
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void R9_anOutcomeWrittenTwiceCountsOnce(EventStatus status) throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    Outcome outcome = outcome(status, claimed.ref(), 4);

    assertThat(record(outcome)).containsExactly(WRITTEN);
    OutboxEvent written = row(claimed.eventId());
    assertThat(record(outcome)).containsExactly(ALREADY_THERE);
    assertThat(row(claimed.eventId())).usingRecursiveComparison().isEqualTo(written);
    assertThat(written.attempts()).isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void R9_anUnleasedOutcomeWrittenTwiceCountsOnce(EventStatus status)
      throws SQLException {
    requireLeases();
    String id = insert(event().build());
    Outcome outcome = outcome(status, row(id).ref(), 4);

    assertThat(record(outcome)).containsExactly(WRITTEN);
    assertThat(record(outcome)).containsExactly(ALREADY_THERE);
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void R9_anOutcomeForAnyLeaseWrittenTwiceCountsOnce(EventStatus status)
      throws SQLException {
    requireLeases();
    Outcome outcome = outcome(status, EventRef.any(insertClaimed().eventId()), 4);

    assertThat(record(outcome)).containsExactly(WRITTEN);
    assertThat(record(outcome)).containsExactly(ALREADY_THERE);
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void R9_anInstantFinerThanAMicrosecondIsRecognisedToo(EventStatus status)
      throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    Outcome outcome = new Outcome(claimed.ref(), status, 1, AT.plusNanos(1999), null);

    assertThat(record(outcome)).containsExactly(WRITTEN);
    assertThat(record(outcome)).containsExactly(ALREADY_THERE);
    OutboxEvent row = row(claimed.eventId());
    assertThat(status.isPending() ? row.availableAt() : row.doneAt()).isEqualTo(AT.plusNanos(1000));
  }

  @Test
  protected void R6_anotherOutcomeOfTheSameLeaseIsLost() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    assertThat(record(Outcome.retry(claimed.ref(), 1, AT, "why"))).containsExactly(WRITTEN);

    assertThat(record(Outcome.done(claimed.ref(), 0, AT))).containsExactly(LOST);
    assertThat(record(Outcome.retry(claimed.ref(), 2, AT, "why"))).containsExactly(LOST);
    assertThat(row(claimed.eventId()).status()).isEqualTo(EventStatus.RETRY);
    assertThat(row(claimed.eventId()).attempts()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void R5_theOutcomeOfALostLeaseIsNotWritten(EventStatus status) throws SQLException {
    requireLeases();
    OutboxEvent first = insertClaimed();
    OutboxEvent second = claim(OTHER_OWNER, T0.plusSeconds(300)).get(0);

    assertThat(record(outcome(status, first.ref(), 1))).containsExactly(LOST);
    assertThat(row(second.eventId())).usingRecursiveComparison().isEqualTo(second);
    assertThat(record(outcome(status, second.ref(), 1))).containsExactly(WRITTEN);
  }

  @Test
  protected void R5_theSameOwnerWithAnOldNumberHasLostItsLease() throws SQLException {
    requireLeases();
    OutboxEvent first = insertClaimed();
    OutboxEvent second = claim(OWNER, T0.plusSeconds(300)).get(0);

    assertThat(record(Outcome.done(first.ref(), 0, AT))).containsExactly(LOST);
    assertThat(record(Outcome.done(second.ref(), 0, AT))).containsExactly(WRITTEN);
  }

  @Test
  protected void R5_anotherOwnerWithTheRightNumberHasNoLease() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    EventRef stranger = new EventRef(claimed.eventId(), claimed.leaseNumber(), OTHER_OWNER);

    assertThat(record(Outcome.done(stranger, 0, AT))).containsExactly(LOST);
    assertThat(row(claimed.eventId()).status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  protected void R5_theOutcomeOfAReleasedLeaseIsLost() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    inTransaction(
        c -> {
          store().releaseLeases(c, List.of(claimed.ref()));
          return null;
        });

    assertThat(record(Outcome.done(claimed.ref(), 0, AT))).containsExactly(LOST);
    assertThat(row(claimed.eventId()).status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  protected void R5_theOutcomeOfAnUnleasedDeliveryIsLostOnceSomebodyClaimed() throws SQLException {
    requireLeases();
    String id = insert(event().build());
    EventRef unleased = row(id).ref();
    claim(OTHER_OWNER, T0);

    assertThat(record(Outcome.done(unleased, 0, AT))).containsExactly(LOST);
    assertThat(row(id).status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  protected void anOutcomeForAnyLeaseIsWritten() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();

    assertThat(record(Outcome.done(EventRef.any(claimed.eventId()), 0, AT)))
        .containsExactly(WRITTEN);
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void R6_aLateOutcomeDoesNotSwallowAReplayedEvent(EventStatus status)
      throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    String id = claimed.eventId();
    assertThat(record(Outcome.dead(claimed.ref(), 1, AT, "why"))).containsExactly(WRITTEN);
    EventRef unleased = EventRef.unleased(id, claimed.leaseNumber());
    assertThat(store().replayDead(conn, id)).isOne();
    OutboxEvent replayed = row(id);

    assertThat(record(outcome(status, claimed.ref(), 1))).containsExactly(LOST);
    assertThat(record(outcome(status, unleased, 1))).containsExactly(LOST);
    assertThat(row(id)).usingRecursiveComparison().isEqualTo(replayed);
  }

  @Test
  protected void theOutcomeOfAnEventThatIsGoneIsLost() throws SQLException {
    requireLeases();
    assertThat(record(Outcome.done(EventRef.any("nowhere"), 0, AT))).containsExactly(LOST);
  }

  @Test
  protected void outcomesOfAllKindsGoTogetherAndTheResultsAreInOrder() throws SQLException {
    requireLeases();
    OutboxEvent done = insertClaimed();
    OutboxEvent retry = insertClaimed();
    OutboxEvent dead = insertClaimed();
    OutboxEvent deferred = insertClaimed();
    OutboxEvent repeated = insertClaimed();
    record(Outcome.done(repeated.ref(), 0, AT));
    OutboxEvent finished = insertClaimed();
    store().markDead(conn, finished.eventId(), "given up");

    assertThat(
            record(
                Outcome.retry(retry.ref(), 1, AT, "one"),
                Outcome.done(EventRef.any("nowhere"), 0, AT),
                Outcome.done(done.ref(), 0, AT),
                Outcome.done(repeated.ref(), 0, AT),
                Outcome.dead(dead.ref(), 2, AT.plusSeconds(1), "two"),
                Outcome.deferred(deferred.ref(), 3, AT.plusSeconds(2)),
                Outcome.done(finished.ref(), 0, AT)))
        .containsExactly(WRITTEN, LOST, WRITTEN, ALREADY_THERE, WRITTEN, WRITTEN, LOST);

    assertThat(row(done.eventId()).status()).isEqualTo(EventStatus.DONE);
    assertThat(row(retry.eventId()).lastError()).isEqualTo("one");
    assertThat(row(dead.eventId()).lastError()).isEqualTo("two");
    assertThat(row(dead.eventId()).doneAt()).isEqualTo(AT.plusSeconds(1));
    assertThat(row(deferred.eventId()).availableAt()).isEqualTo(AT.plusSeconds(2));
    assertThat(row(finished.eventId()).status()).isEqualTo(EventStatus.DEAD);
  }

  @Test
  protected void eachOfManyOutcomesKeepsItsOwnValues() throws SQLException {
    requireLeases();
    insert(events(2_500));
    List<OutboxEvent> claimed = claim(OWNER, T0.plusSeconds(1));
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < claimed.size(); i++) {
      EventRef ref = claimed.get(i).ref();
      Instant at = AT.plusNanos(i * 1000L);
      outcomes.add(
          switch (i % 4) {
            case 0 -> Outcome.done(ref, i, at);
            case 1 -> Outcome.retry(ref, i, at, "error " + i);
            case 2 -> Outcome.dead(ref, i, at, i % 3 == 0 ? null : "error " + i);
            default -> Outcome.deferred(ref, i, at);
          });
    }
    Collections.shuffle(outcomes, new java.util.Random(3));

    List<OutcomeResult> results = inTransaction(c -> store().recordOutcomes(c, outcomes));

    assertThat(results).hasSize(2_500).containsOnly(WRITTEN);
    for (Outcome outcome : outcomes) {
      OutboxEvent row = row(outcome.eventId());
      assertThat(row.status()).isEqualTo(outcome.status());
      assertThat(row.attempts()).isEqualTo(outcome.attempts());
      assertThat(row.lastError()).isEqualTo(outcome.error());
      assertThat(outcome.status().isPending() ? row.availableAt() : row.doneAt())
          .isEqualTo(outcome.at());
    }
  }

  @Test
  protected void noOutcomesAreWrittenAtOnceToo() throws SQLException {
    assertThat(record()).isEmpty();
  }

  @Test
  protected void aDeferredOrDoneEventKeepsItsLastError() throws SQLException {
    requireLeases();
    String done = insert(event().build());
    String deferred = insert(event().build());
    store().markRetry(conn, done, T0, "earlier");
    store().markRetry(conn, deferred, T0, "earlier");
    record(Outcome.done(row(done).ref(), 1, AT), Outcome.deferred(row(deferred).ref(), 1, AT));

    assertThat(row(done).lastError()).isEqualTo("earlier");
    assertThat(row(deferred).lastError()).isEqualTo("earlier");
  }

  @Test
  protected void anErrorOfAnOutcomeIsCutAndMadeStorable() throws SQLException {
    requireLeases();
    OutboxEvent retried = insertClaimed();
    OutboxEvent dead = insertClaimed();
    String text = "NUL \0, half \ude00, whole \ud83d\ude00, " + "é".repeat(10_000);

    assertThat(
            record(
                Outcome.retry(retried.ref(), 1, AT, text), Outcome.dead(dead.ref(), 1, AT, text)))
        .containsOnly(WRITTEN);
    for (OutboxEvent event : List.of(retried, dead)) {
      assertThat(row(event.eventId()).lastError())
          .startsWith("NUL \ufffd, half \ufffd, whole \ud83d\ude00, é")
          .hasSize(Outcome.MAX_ERROR_LENGTH);
    }
  }

  @Test
  protected void R1_anOutcomeDoesNotWaitForALockedRow() throws SQLException {
    requireLeases();
    requireSkippedRows();
    OutboxEvent locked = insertClaimed();
    OutboxEvent free = insertClaimed();
    Connection other = openTransaction();
    lockRow(other, locked.eventId());

    assertThat(record(Outcome.done(locked.ref(), 0, AT), Outcome.done(free.ref(), 0, AT)))
        .containsExactly(LOCKED, WRITTEN);
    assertThat(record(Outcome.retry(locked.ref(), 1, AT, "why"))).containsExactly(LOCKED);

    other.rollback();
    assertThat(record(Outcome.done(locked.ref(), 0, AT))).containsExactly(WRITTEN);
  }

  @Test
  protected void R1_ofManyOutcomesOnlyThoseOfLockedAndLostRowsAreNotWritten() throws SQLException {
    requireLeases();
    requireSkippedRows();
    insert(events(60));
    List<OutboxEvent> claimed = claim(OWNER, T0.plusSeconds(1));
    OutboxEvent locked = claimed.get(17);
    OutboxEvent dead = claimed.get(33);
    store().markDead(conn, dead.eventId(), "given up");
    Connection other = openTransaction();
    lockRow(other, locked.eventId());
    List<Outcome> outcomes =
        claimed.stream().map(event -> Outcome.done(event.ref(), 0, AT)).toList();

    List<OutcomeResult> results = inTransaction(c -> store().recordOutcomes(c, outcomes));

    other.rollback();
    for (int i = 0; i < claimed.size(); i++) {
      assertThat(results.get(i)).isEqualTo(i == 17 ? LOCKED : i == 33 ? LOST : WRITTEN);
    }
    assertThat(row(dead.eventId()).status()).isEqualTo(EventStatus.DEAD);
    assertThat(record(outcomes.get(17))).containsExactly(WRITTEN);
  }

  @Test
  protected void manyOutcomesOfOneLeaseAreWrittenAndEndIt() throws SQLException {
    requireLeases();
    insert(events(60));
    List<OutboxEvent> claimed = claim(OWNER, T0.plusSeconds(1));
    List<Outcome> outcomes =
        claimed.stream().map(event -> Outcome.done(event.ref(), 0, AT)).toList();

    List<OutcomeResult> results = inTransaction(c -> store().recordOutcomes(c, outcomes));
    List<OutcomeResult> repeated = inTransaction(c -> store().recordOutcomes(c, outcomes));

    assertThat(results).hasSize(60).containsOnly(WRITTEN);
    assertThat(repeated).hasSize(60).containsOnly(ALREADY_THERE);
    for (OutboxEvent event : claimed) {
      OutboxEvent row = row(event.eventId());
      assertThat(row.status()).isEqualTo(EventStatus.DONE);
      assertThat(row.doneAt()).isEqualTo(AT);
      assertThat(row.lease()).isNull();
      assertThat(row.claims()).isZero();
    }
  }

  @Test
  protected void anOutcomeThatIsRolledBackNeverWas() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    Connection other = openTransaction();
    assertThat(store().recordOutcomes(other, List.of(Outcome.done(claimed.ref(), 0, AT))))
        .containsExactly(WRITTEN);
    other.rollback();

    assertThat(row(claimed.eventId())).usingRecursiveComparison().isEqualTo(claimed);
    assertThat(record(Outcome.done(claimed.ref(), 0, AT))).containsExactly(WRITTEN);
  }
}
