package io.outbox.testing.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of stores with leases: claim, expiry, fencing, and nodes that vanish. */
abstract class LeaseRules extends RulesFixture {

  private static final int EVENTS = 60;

  @Test
  protected void R1_anEventOfANodeThatVanishedIsDeliveredWhenItsLeaseHasExpired() {
    requireLeases();
    String id = writeCold(event().build());
    Instant longAgo = now().minus(LONG_LEASE.multipliedBy(2));
    assertThat(claimAndVanish("vanished", now(), longAgo)).hasSize(1);
    // the same node, as if its claim were an hour old
    expire(id, longAgo);

    try (Outbox outbox = multiNode("a").build()) {
      assertThat(outbox.isRunning()).isTrue();
      awaitFinished();
    }
    assertThat(listener.deliveredIds()).containsExactly(id);
  }

  /** Moves the lease of an event into the past. */
  private void expire(String id, Instant lockedAt) {
    ask(
        conn -> {
          conn.setAutoCommit(false);
          EventRef held =
              store().pollPending(conn, now(), Duration.ZERO, 100).stream()
                  .filter(row -> row.eventId().equals(id))
                  .findFirst()
                  .orElseThrow()
                  .ref();
          assertThat(store().renewLeases(conn, List.of(held), lockedAt)).containsExactly(id);
          conn.commit();
          conn.setAutoCommit(true);
          return null;
        });
  }

  @Test
  protected void R4_anEventThatAnotherNodeHasClaimedIsNotDelivered() {
    requireLeases();
    String claimed = writeCold(event().build());
    claimAndVanish("other", now(), now().minus(LONG_LEASE));

    try (Outbox outbox = multiNode("a").build()) {
      String free = write(outbox);
      Await.until("the free event", BOUND, () -> listener.count(free) == 1);
    }
    assertThat(listener.count(claimed)).isZero();
  }

  @Test
  protected void R4_twoNodesDeliverEachEventOnce() {
    requireLeases();
    RecordingListener second = new RecordingListener();
    List<String> ids = new ArrayList<>();
    try (Outbox a = multiNode("a").build();
        Outbox b = multiNode("b").listenerRegistry(listening(second)).build()) {
      for (int i = 0; i < EVENTS; i++) {
        ids.add(i % 3 == 0 ? writeCold(event().build()) : write(i % 3 == 1 ? a : b));
      }
      awaitFinished();
    }
    List<String> delivered = new ArrayList<>(listener.deliveredIds());
    delivered.addAll(second.deliveredIds());
    assertThat(delivered).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  protected void R5_theOutcomeOfALostLeaseIsNotWritten() {
    requireLeases();
    writeCold(event().build());
    Instant now = now();
    OutboxEvent first = claimAndVanish("first", now, now.minus(LONG_LEASE)).get(0);
    // the lease of the first expires at once
    OutboxEvent second = claimAndVanish("second", now.plusSeconds(1), now.plusSeconds(1)).get(0);

    assertThat(second.leaseNumber()).isGreaterThan(first.leaseNumber());
    assertThat(record(Outcome.dead(first.ref(), 1, now, "late"))).isEqualTo(OutcomeResult.LOST);
    assertThat(record(Outcome.done(second.ref(), 0, now))).isEqualTo(OutcomeResult.WRITTEN);
    assertThat(dead()).isZero();
  }

  @Test
  protected void R6_theOutcomeOfAnEarlierLifeDoesNotEndAReplayedEvent() {
    requireLeases();
    String id = writeCold(event().build());
    OutboxEvent claimed = claimAndVanish("first", now(), now().minus(LONG_LEASE)).get(0);
    ask(conn -> store().markDead(conn, id, "given up"));
    replay(id);

    assertThat(record(Outcome.done(claimed.ref(), 0, now()))).isEqualTo(OutcomeResult.LOST);
    try (Outbox outbox = multiNode("a").build()) {
      assertThat(outbox.isRunning()).isTrue();
      awaitFinished();
    }
    assertThat(listener.deliveredIds()).containsExactly(id);
  }

  private OutcomeResult record(Outcome outcome) {
    return ask(
        conn -> {
          conn.setAutoCommit(false);
          store().prepareTransaction(conn);
          List<OutcomeResult> results = store().recordOutcomes(conn, List.of(outcome));
          conn.commit();
          conn.setAutoCommit(true);
          return results.get(0);
        });
  }

  @Test
  protected void R7_anEventThatKilledItsNodeAtEveryStartEndsDeadWithoutAnotherStart() {
    requireLeases();
    String id = writeCold(event().build());
    Instant at = now().minus(LONG_LEASE.multipliedBy(10));
    for (int life = 0; life < 3; life++) {
      Instant claimedAt = now();
      OutboxEvent claimed = claimAndVanish("killed-" + life, claimedAt, claimedAt).get(0);
      start(claimed.ref());
      expire(id, at);
    }
    try (Outbox outbox = multiNode("a").build()) {
      assertThat(outbox.isRunning()).isTrue();
      Await.until("the event to be dead", BOUND, () -> dead() == 1);
    }
    assertThat(listener.count(id)).isZero();
  }

  private void start(EventRef lease) {
    ask(
        conn -> {
          conn.setAutoCommit(false);
          assertThat(store().recordStart(conn, lease)).isTrue();
          conn.commit();
          conn.setAutoCommit(true);
          return null;
        });
  }

  @Test
  protected void R15_aNodeThatClosesGivesUpWhatItHasNotStarted() {
    requireLeases();
    RecordingListener heir = new RecordingListener();
    List<String> unstarted = new ArrayList<>();
    listener.block();
    try (Outbox closing = multiNode("a").workerCount(1).drainTimeoutMs(1).build();
        Outbox other = multiNode("b").listenerRegistry(listening(heir)).build()) {
      unstarted.addAll(write(closing, 10));
      listener.awaitCount(1, BOUND);
      unstarted.removeAll(listener.deliveredIds());
      closing.close();
      Await.until("the other node", BOUND, () -> heir.deliveredIds().containsAll(unstarted));
      assertThat(other.isRunning()).isTrue();
    } finally {
      listener.release();
    }
    assertThat(unstarted).hasSize(9);
    assertThat(heir.deliveredIds()).doesNotHaveDuplicates();
  }
}
