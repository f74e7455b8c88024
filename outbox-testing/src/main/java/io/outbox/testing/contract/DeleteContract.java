package io.outbox.testing.contract;

import static io.outbox.spi.OutcomeResult.ALREADY_THERE;
import static io.outbox.spi.OutcomeResult.LOCKED;
import static io.outbox.spi.OutcomeResult.LOST;
import static io.outbox.spi.OutcomeResult.WRITTEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Outcomes that delete their row. Skipped for a store that cannot. */
abstract class DeleteContract extends OutcomeContract {

  private static final Instant AT = T0.plusSeconds(30);

  private static Outcome deleted(EventRef ref) {
    return Outcome.deleted(ref, 0, AT);
  }

  private void requireDeletes() {
    requireLeases();
    assumeTrue(store().supportsDeletes(), "the store cannot delete");
  }

  private boolean isThere(String eventId) throws SQLException {
    return findEvent(conn, eventId).isPresent();
  }

  @ParameterizedTest
  @EnumSource(
      value = EventStatus.class,
      names = {"NEW", "RETRY"})
  protected void aPendingEventIsDeleted(EventStatus status) throws SQLException {
    requireDeletes();
    String id = insertIn(status);
    String other = insertIn(status);

    assertThat(record(deleted(row(id).ref()))).containsExactly(WRITTEN);
    assertThat(isThere(id)).isFalse();
    assertThat(isThere(other)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = EventStatus.class,
      names = {"DONE", "DEAD"})
  protected void R6_aFinishedEventIsNotDeleted(EventStatus status) throws SQLException {
    requireDeletes();
    String id = insertIn(status);
    OutboxEvent before = row(id);

    assertThat(record(deleted(EventRef.any(id)))).containsExactly(LOST);
    assertThat(row(id)).usingRecursiveComparison().isEqualTo(before);
  }

  @Test
  protected void R9_aDeleteWrittenTwiceIsRecognised() throws SQLException {
    requireDeletes();
    OutboxEvent claimed = insertClaimed();

    assertThat(record(deleted(claimed.ref()))).containsExactly(WRITTEN);
    assertThat(record(deleted(claimed.ref()))).containsExactly(ALREADY_THERE);
  }

  @Test
  protected void everyOtherOutcomeOfADeletedEventIsLost() throws SQLException {
    requireDeletes();
    OutboxEvent claimed = insertClaimed();
    record(deleted(claimed.ref()));

    assertThat(record(Outcome.done(claimed.ref(), 0, AT))).containsExactly(LOST);
    assertThat(record(Outcome.retry(claimed.ref(), 1, AT, "why"))).containsExactly(LOST);
    assertThat(isThere(claimed.eventId())).isFalse();
  }

  @Test
  protected void R5_onlyTheHolderOfTheLeaseDeletes() throws SQLException {
    requireDeletes();
    OutboxEvent first = insertClaimed();
    OutboxEvent second = claim(OTHER_OWNER, T0.plusSeconds(300)).get(0);
    EventRef stranger = new EventRef(second.eventId(), second.leaseNumber(), OWNER);
    EventRef unleased = EventRef.unleased(second.eventId(), first.leaseNumber());

    assertThat(record(deleted(first.ref()))).containsExactly(LOST);
    assertThat(record(deleted(stranger))).containsExactly(LOST);
    assertThat(record(deleted(unleased))).containsExactly(LOST);
    assertThat(row(second.eventId())).usingRecursiveComparison().isEqualTo(second);
    assertThat(record(deleted(second.ref()))).containsExactly(WRITTEN);
  }

  @Test
  protected void R6_aLateDeleteDoesNotSwallowAReplayedEvent() throws SQLException {
    requireDeletes();
    OutboxEvent claimed = insertClaimed();
    String id = claimed.eventId();
    record(Outcome.dead(claimed.ref(), 1, AT, "why"));
    store().replayDead(conn, id);

    assertThat(record(deleted(claimed.ref()))).containsExactly(LOST);
    assertThat(record(deleted(EventRef.unleased(id, claimed.leaseNumber())))).containsExactly(LOST);
    assertThat(isThere(id)).isTrue();
  }

  @Test
  protected void R1_aDeleteDoesNotWaitForALockedRow() throws SQLException {
    requireDeletes();
    requireSkippedRows();
    OutboxEvent locked = insertClaimed();
    OutboxEvent free = insertClaimed();
    Connection other = openTransaction();
    lockRow(other, locked.eventId());

    assertThat(record(deleted(locked.ref()), deleted(free.ref()))).containsExactly(LOCKED, WRITTEN);
    assertThat(isThere(locked.eventId())).isTrue();
    assertThat(isThere(free.eventId())).isFalse();

    other.rollback();
    assertThat(record(deleted(locked.ref()))).containsExactly(WRITTEN);
  }

  @Test
  protected void R1_aRowThatIsBeingDeletedIsLockedAndThenGone() throws SQLException {
    requireDeletes();
    requireSkippedRows();
    OutboxEvent claimed = insertClaimed();
    Connection other = openTransaction();
    store().recordOutcomes(other, List.of(deleted(claimed.ref())));

    assertThat(record(deleted(claimed.ref()))).containsExactly(LOCKED);
    assertThat(record(Outcome.retry(claimed.ref(), 1, AT, "why"))).containsExactly(LOCKED);
    other.commit();
    assertThat(record(deleted(claimed.ref()))).containsExactly(ALREADY_THERE);
  }

  @Test
  protected void aDeleteThatIsRolledBackNeverWas() throws SQLException {
    requireDeletes();
    OutboxEvent claimed = insertClaimed();
    Connection other = openTransaction();
    assertThat(store().recordOutcomes(other, List.of(deleted(claimed.ref()))))
        .containsExactly(WRITTEN);
    other.rollback();

    assertThat(row(claimed.eventId())).usingRecursiveComparison().isEqualTo(claimed);
  }

  @Test
  protected void anEventThatIsThereTwiceIsDeletedOnce() throws SQLException {
    requireDeletes();
    OutboxEvent claimed = insertClaimed();

    assertThat(
            record(
                deleted(claimed.ref()),
                deleted(claimed.ref()),
                Outcome.retry(claimed.ref(), 1, AT, "why")))
        .containsExactly(WRITTEN, ALREADY_THERE, LOST);
  }

  @Test
  protected void manyDeletesAmongOtherOutcomesFindTheirRows() throws SQLException {
    requireDeletes();
    insert(events(2_500));
    List<OutboxEvent> claimed = claim(OWNER, T0.plusSeconds(1));
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < claimed.size(); i++) {
      EventRef ref = claimed.get(i).ref();
      outcomes.add(
          switch (i % 4) {
            case 0 -> Outcome.retry(ref, i, AT, "error " + i);
            case 1 -> Outcome.dead(ref, i, AT, "error " + i);
            default -> deleted(ref);
          });
    }
    outcomes.add(deleted(EventRef.any("nowhere")));
    Collections.shuffle(outcomes, new Random(3));

    List<OutcomeResult> results = inTransaction(c -> store().recordOutcomes(c, outcomes));

    for (int i = 0; i < outcomes.size(); i++) {
      Outcome outcome = outcomes.get(i);
      boolean gone = outcome.eventId().equals("nowhere");
      assertThat(results.get(i)).isEqualTo(gone ? ALREADY_THERE : WRITTEN);
      if (outcome.deletesRow()) {
        assertThat(isThere(outcome.eventId())).isFalse();
      } else {
        assertThat(row(outcome.eventId()).status()).isEqualTo(outcome.status());
        assertThat(row(outcome.eventId()).lastError()).isEqualTo(outcome.error());
      }
    }
  }
}
