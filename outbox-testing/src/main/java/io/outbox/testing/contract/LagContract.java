package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a store says of the oldest event that is not delivered. */
abstract class LagContract extends MarkContract {

  private static final Instant LATER = T0.plusSeconds(3600);

  private Instant oldest() {
    assumeTrue(knowsFirstDue(), "the store does not keep since when an event waits");
    return store().backlog(conn, 1).orElseThrow().oldestWaiting();
  }

  @Test
  protected void R24_deferralsAndRetriesDoNotMoveTheLag() throws SQLException {
    EventEnvelope event = event().build();
    EventRef ref = EventRef.any(insert(event));
    assertThat(row(ref.eventId()).waitingSince()).as("the writer pays nothing").isNull();
    assertThat(oldest()).isEqualTo(T0);

    record(Outcome.deferred(ref, 0, LATER));
    assertThat(oldest()).isEqualTo(T0);
    record(Outcome.retry(ref, 1, LATER.plusSeconds(1), "failed"));
    assertThat(oldest()).isEqualTo(T0);
    record(Outcome.deferred(ref, 1, LATER.plusSeconds(2)));
    assertThat(oldest()).isEqualTo(T0);
    OutboxEvent row = row(ref.eventId());
    assertThat(row.waitingSince()).isEqualTo(T0);
    assertThat(row.availableAt()).isEqualTo(LATER.plusSeconds(2));
  }

  @Test
  protected void R24_outcomesOfManyEventsKeepTheDueTimeOfEach() throws SQLException {
    List<String> ids = insert(events(5));
    Outcome[] outcomes =
        ids.stream()
            .map(id -> Outcome.deferred(EventRef.any(id), 0, LATER))
            .toArray(Outcome[]::new);
    assertThat(record(outcomes)).containsOnly(OutcomeResult.WRITTEN);

    assertThat(oldest()).isEqualTo(T0);
    for (int i = 0; i < ids.size(); i++) {
      assertThat(row(ids.get(i)).waitingSince()).isEqualTo(T0.plusNanos(i * 1000L));
    }
    store().markDone(conn, ids.get(0));
    assertThat(oldest()).isEqualTo(T0.plusNanos(1000));
  }

  @Test
  protected void R24_marksDoNotMoveTheLag() throws SQLException {
    String id = insert(event().build());
    store().markRetry(conn, id, LATER, "failed");
    assertThat(oldest()).isEqualTo(T0);
    store().markDeferred(conn, id, LATER.plusSeconds(1));
    assertThat(oldest()).isEqualTo(T0);
    assertThat(row(id).waitingSince()).isEqualTo(T0);
  }

  @Test
  protected void R24_aDelayedEventCountsFromWhenItIsDue() throws SQLException {
    String id = insert(event().availableAt(LATER).build());
    assertThat(oldest()).isEqualTo(LATER);

    record(Outcome.deferred(EventRef.any(id), 0, LATER.plusSeconds(60)));

    assertThat(oldest()).isEqualTo(LATER);
  }

  @Test
  protected void R24_aLeasedEventIsNotDelivered() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    assertThat(oldest()).isEqualTo(T0);

    inTransaction(c -> store().renewLeases(c, List.of(claimed.ref()), LATER));
    assertThat(oldest()).isEqualTo(T0);
    record(Outcome.retry(claimed.ref(), 1, LATER.plusSeconds(60), "failed"));
    assertThat(oldest()).isEqualTo(T0);
    OutboxEvent again = claim(OWNER, LATER.plusSeconds(60)).get(0);
    assertThat(oldest()).as("leased after a retry").isEqualTo(T0);
    inTransaction(c -> store().releaseLeases(c, List.of(again.ref())));
    assertThat(oldest()).as("given back").isEqualTo(T0);
  }

  @Test
  protected void R24_aFinishedEventWaitsForNothing() throws SQLException {
    List<String> ids = insert(events(4));
    ids.forEach(id -> store().markDeferred(conn, id, LATER));
    record(Outcome.done(EventRef.any(ids.get(0)), 0, LATER));
    record(Outcome.done(EventRef.any(ids.get(1)), 3, LATER));
    record(Outcome.dead(EventRef.any(ids.get(2)), 3, LATER, "given up"));
    assertThat(oldest()).isEqualTo(T0.plusNanos(3000));

    store().markDead(conn, ids.get(3), "given up");

    assertThat(oldest()).isNull();
  }

  @Test
  protected void R24_aReplayCountsAnew() throws SQLException {
    String id = insert(event().build());
    store().markRetry(conn, id, LATER, "failed");
    store().markDead(conn, id, "given up");
    store().replayDead(conn, id);

    OutboxEvent row = row(id);
    assertThat(row.waitingSince()).isNull();
    assertThat(oldest()).isEqualTo(row.replayedAt());
    store().markDeferred(conn, id, row.replayedAt().plusSeconds(60));
    assertThat(oldest()).isEqualTo(row.replayedAt());
  }

  @Test
  protected void onlyAnEventWhoseWriterAskedForADelayIsDelayed() throws SQLException {
    assumeTrue(knowsFirstDue(), "the store does not keep since when an event waits");
    String plain = insert(event().build());
    String delayed = insert(event().deliverAfter(Duration.ofSeconds(9)).build());
    for (String id : List.of(plain, delayed)) {
      store().markDeferred(conn, id, LATER);
    }
    for (OutboxEvent row : poll(LATER)) {
      EventEnvelope read = EventEnvelope.fromRow(row);
      assertThat(read.isDelayed()).isEqualTo(row.eventId().equals(delayed));
    }
    EventEnvelope read = EventEnvelope.fromRow(row(delayed));
    assertThat(read.availableAt()).isEqualTo(T0.plusSeconds(9));

    store().markDead(conn, plain, "given up");
    store().replayDead(conn, plain);
    assertThat(EventEnvelope.fromRow(row(plain)).isDelayed()).as("replayed").isFalse();
  }
}
