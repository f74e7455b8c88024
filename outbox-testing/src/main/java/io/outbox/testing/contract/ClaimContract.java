package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventRef;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Leases and their numbers. */
abstract class ClaimContract extends PollContract {

  @Test
  protected void R5_aClaimGivesALeaseWithTheNextNumber() throws SQLException {
    requireLeases();
    String id = insert(event().build());
    long before = row(id).leaseNumber();

    OutboxEvent claimed = claim(OWNER, T0).get(0);

    assertThat(claimed.lease()).isEqualTo(new Lease(OWNER, T0, before + 1));
    assertThat(claimed.leaseNumber()).isEqualTo(before + 1);
    assertThat(claimed.claims()).isEqualTo(1);
    assertThat(row(id)).usingRecursiveComparison().isEqualTo(claimed);
  }

  @Test
  protected void aClaimOfAnAutoCommitConnectionIsThereForAll() throws SQLException {
    requireLeases();
    insert(event().build());

    assertThat(claim(OWNER, T0)).hasSize(1);
    assertThat(conn.getAutoCommit()).isTrue();
    assertThat(store().claimPending(open(), OTHER_OWNER, T0, T0.minusSeconds(60), NO_SKIP, 10))
        .isEmpty();
  }

  @Test
  protected void aLeaseExcludesEverybodyItsOwnerToo() throws SQLException {
    requireLeases();
    insertClaimed();

    assertThat(claim(OWNER, T0.plusSeconds(1))).isEmpty();
    assertThat(claim(OTHER_OWNER, T0.plusSeconds(1))).isEmpty();
  }

  @Test
  protected void aLeaseHasExpiredWhenItWasTakenBeforeTheExpiry() throws SQLException {
    requireLeases();
    OutboxEvent first = insertClaimed();
    Instant later = T0.plusSeconds(300);

    assertThat(store().claimPending(conn, OTHER_OWNER, later, T0, NO_SKIP, 10)).isEmpty();
    assertThat(ids(store().claimPending(conn, OTHER_OWNER, later, T0.plusNanos(1000), NO_SKIP, 10)))
        .containsExactly(first.eventId());
  }

  @Test
  protected void anExpiredLeaseIsClaimedAgain() throws SQLException {
    requireLeases();
    OutboxEvent first = insertClaimed();
    Instant later = T0.plusSeconds(300);

    OutboxEvent second = claim(OTHER_OWNER, later).get(0);

    assertThat(second.eventId()).isEqualTo(first.eventId());
    assertThat(second.lease()).isEqualTo(new Lease(OTHER_OWNER, later, first.leaseNumber() + 1));
    assertThat(second.claims()).isEqualTo(2);
  }

  @Test
  protected void aLeaseGivenAtBirthExpiresLikeAnyOther() throws SQLException {
    requireLeases();
    String id = insertLeased(event().build(), OWNER, T0).eventId();

    assertThat(claim(OTHER_OWNER, T0.plusSeconds(60))).isEmpty();
    OutboxEvent claimed = claim(OTHER_OWNER, T0.plusSeconds(61)).get(0);
    assertThat(claimed.eventId()).isEqualTo(id);
    assertThat(claimed.leaseNumber()).isEqualTo(Lease.BORN + 1);
    assertThat(claimed.claims()).isEqualTo(2);
  }

  @Test
  protected void everyClaimIsCountedUntilThereIsAnOutcome() throws SQLException {
    requireLeases();
    String id = insert(event().build());
    for (int i = 1; i <= 4; i++) {
      assertThat(claim(OWNER, T0.plusSeconds(i * 100L)).get(0).claims()).isEqualTo(i);
    }
    store().markRetry(conn, id, T0, "failed");

    assertThat(row(id).claims()).isZero();
    assertThat(row(id).leaseNumber()).isEqualTo(4);
  }

  @Test
  protected void aClaimThatIsRolledBackNeverWas() throws SQLException {
    requireLeases();
    String id = insert(event().build());
    OutboxEvent before = row(id);
    Connection other = openTransaction();
    assertThat(store().claimPending(other, OTHER_OWNER, T0, T0, NO_SKIP, 10)).hasSize(1);
    other.rollback();

    assertThat(row(id)).usingRecursiveComparison().isEqualTo(before);
    assertThat(ids(claim(OWNER, T0))).containsExactly(id);
  }

  @Test
  protected void aClaimPassesByRowsThatAreLocked() throws SQLException {
    requireLeases();
    requireSkippedRows();
    List<String> ids = insert(events(3));
    Connection other = openTransaction();
    lockRow(other, ids.get(0));

    List<OutboxEvent> claimed =
        inTransaction(c -> store().claimPending(c, OWNER, T0.plusSeconds(1), T0, NO_SKIP, 2));
    assertThat(ids(claimed)).containsExactly(ids.get(1), ids.get(2));

    other.rollback();
    assertThat(ids(claim(OWNER, T0.plusSeconds(1)))).containsExactly(ids.get(0));
  }

  @Test
  protected void R4_claimersNeverGetTheSameEvent() throws Exception {
    requireLeases();
    List<String> ids = insert(events(400));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<List<String>>> claimers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Connection own = open();
        String owner = "node-" + i;
        claimers.add(() -> claimAll(own, owner));
      }
      List<String> claimed = new ArrayList<>();
      for (Future<List<String>> result : threads.invokeAll(claimers, 60, TimeUnit.SECONDS)) {
        claimed.addAll(result.get());
      }
      assertThat(claimed).containsExactlyInAnyOrderElementsOf(ids);
    } finally {
      threads.shutdownNow();
    }
  }

  private List<String> claimAll(Connection own, String owner) {
    List<String> claimed = new ArrayList<>();
    int failures = 0;
    int empty = 0;
    // A claim may pass by rows that another claimer has locked only to find them taken: ask again.
    while (empty < 3) {
      try {
        List<OutboxEvent> batch =
            store().claimPending(own, owner, T0.plusSeconds(1), T0, NO_SKIP, 7);
        empty = batch.isEmpty() ? empty + 1 : 0;
        claimed.addAll(ids(batch));
      } catch (RuntimeException e) {
        // Databases give up on deadlocks now and then; the engine tries again, and so do we.
        if (++failures > 50) {
          throw e;
        }
      }
    }
    return claimed;
  }

  @Test
  protected void R5_aRenewalMovesTheLease() throws SQLException {
    requireLeases();
    OutboxEvent mine = insertClaimed();
    EventRef born = insertLeased(event().build(), OWNER, T0);
    Instant later = T0.plusSeconds(50);

    assertThat(renew(List.of(mine.ref(), born), later))
        .containsExactlyInAnyOrder(mine.eventId(), born.eventId());

    assertThat(row(mine.eventId()).lease()).isEqualTo(new Lease(OWNER, later, mine.leaseNumber()));
    assertThat(row(born.eventId()).lease()).isEqualTo(new Lease(OWNER, later, Lease.BORN));
    assertThat(row(mine.eventId()).claims()).isEqualTo(1);
    assertThat(claim(OTHER_OWNER, T0.plusSeconds(100))).isEmpty();
    assertThat(claim(OTHER_OWNER, T0.plusSeconds(111))).hasSize(2);
  }

  @Test
  protected void R5_onlyALeaseThatIsStillHeldIsRenewed() throws SQLException {
    requireLeases();
    OutboxEvent taken = insertClaimed();
    OutboxEvent takenBy = claim(OTHER_OWNER, T0.plusSeconds(300)).get(0);
    OutboxEvent done = insertClaimed();
    store().markDone(conn, done.eventId());
    String unleased = insert(event().build());
    OutboxEvent mine = insertClaimedAlso(unleased);

    List<EventRef> refs =
        List.of(
            taken.ref(),
            done.ref(),
            EventRef.unleased(unleased, row(unleased).leaseNumber()),
            new EventRef(mine.eventId(), mine.leaseNumber() + 1, OWNER),
            new EventRef(mine.eventId(), mine.leaseNumber(), OTHER_OWNER),
            new EventRef("nowhere", 1, OWNER));
    assertThat(renew(refs, T0.plusSeconds(400))).isEmpty();

    assertThat(row(taken.eventId()).lease()).isEqualTo(takenBy.lease());
    assertThat(row(done.eventId()).lease()).isNull();
    assertThat(row(unleased).lease()).isNull();
    assertThat(row(mine.eventId()).lease()).isEqualTo(mine.lease());
  }

  /** Claims a new event, but not the one named. */
  private OutboxEvent insertClaimedAlso(String notThis) throws SQLException {
    setStatusCode(conn, notThis, 1);
    OutboxEvent claimed = insertClaimed();
    setStatusCode(conn, notThis, 0);
    return claimed;
  }

  @Test
  protected void manyLeasesAreRenewedAndReleasedAtOnce() throws SQLException {
    requireLeases();
    insert(events(2_500));
    List<EventRef> refs = claim(OWNER, T0.plusSeconds(1)).stream().map(OutboxEvent::ref).toList();
    assertThat(refs).hasSize(2_500);

    assertThat(renew(refs, T0.plusSeconds(9))).hasSize(2_500);
    assertThat(release(refs)).isEmpty();
    assertThat(claim(OTHER_OWNER, T0.plusSeconds(1))).hasSize(2_500);
  }

  @Test
  protected void R7_aReleaseGivesTheEventBackAndItsClaimToo() throws SQLException {
    requireLeases();
    String id = insert(event().build());
    claim(OWNER, T0);
    OutboxEvent second = claim(OWNER, T0.plusSeconds(100)).get(0);
    release(second.ref());

    OutboxEvent released = row(id);
    assertThat(released.lease()).isNull();
    assertThat(released.claims()).isEqualTo(1);
    assertThat(released.leaseNumber()).isEqualTo(second.leaseNumber());
    assertThat(released.availableAt()).isEqualTo(T0);
    OutboxEvent third = claim(OTHER_OWNER, T0.plusSeconds(101)).get(0);
    assertThat(third.leaseNumber()).isEqualTo(second.leaseNumber() + 1);
    assertThat(third.claims()).isEqualTo(2);
  }

  @Test
  protected void aLeaseGivenAtBirthIsReleasedLikeAnyOther() throws SQLException {
    requireLeases();
    EventRef born = insertLeased(event().build(), OWNER, T0);
    release(born);

    assertThat(row(born.eventId()).lease()).isNull();
    assertThat(row(born.eventId()).claims()).isZero();
    assertThat(claim(OTHER_OWNER, T0)).hasSize(1);
  }

  @Test
  protected void R5_onlyALeaseThatIsStillHeldIsReleased() throws SQLException {
    requireLeases();
    OutboxEvent first = insertClaimed();
    OutboxEvent second = claim(OWNER, T0.plusSeconds(300)).get(0);

    release(first.ref());
    release(new EventRef(second.eventId(), second.leaseNumber(), OTHER_OWNER));
    release(new EventRef("nowhere", 1, OWNER));
    assertThat(row(second.eventId())).usingRecursiveComparison().isEqualTo(second);

    release(second.ref());
    release(second.ref());
    assertThat(row(second.eventId()).claims()).as("released once").isEqualTo(1);
  }

  @Test
  protected void R6_aReleaseDoesNotTouchAFinishedEvent() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();
    store().markDead(conn, claimed.eventId(), "given up");
    OutboxEvent dead = row(claimed.eventId());
    release(claimed.ref());

    assertThat(row(claimed.eventId())).usingRecursiveComparison().isEqualTo(dead);
  }

  private boolean start(EventRef ref) throws SQLException {
    return inTransaction(c -> store().recordStart(c, ref));
  }

  private Set<String> renew(List<EventRef> refs, Instant lockedAt) throws SQLException {
    return inTransaction(c -> store().renewLeases(c, refs, lockedAt));
  }

  private void release(EventRef ref) throws SQLException {
    assertThat(release(List.of(ref))).isEmpty();
  }

  private Set<String> release(List<EventRef> refs) throws SQLException {
    return inTransaction(c -> store().releaseLeases(c, refs));
  }

  @Test
  protected void R7_aStartIsCountedUnderItsLease() throws SQLException {
    requireLeases();
    OutboxEvent claimed = insertClaimed();

    assertThat(start(claimed.ref())).isTrue();
    assertThat(start(claimed.ref())).isTrue();

    assertThat(row(claimed.eventId()).starts()).isEqualTo(2);
    assertThat(row(claimed.eventId()).lease()).isEqualTo(claimed.lease());
    OutboxEvent again = claim(OTHER_OWNER, T0.plusSeconds(300)).get(0);
    assertThat(again.starts()).isEqualTo(2);
    assertThat(again.claims()).isEqualTo(2);
  }

  @Test
  protected void R7_aStartIsNotCountedWhenTheLeaseIsLost() throws SQLException {
    requireLeases();
    OutboxEvent first = insertClaimed();
    OutboxEvent second = claim(OTHER_OWNER, T0.plusSeconds(300)).get(0);
    OutboxEvent done = insertClaimed();
    store().markDone(conn, done.eventId());

    assertThat(start(first.ref())).isFalse();
    assertThat(start(done.ref())).isFalse();
    assertThat(start(new EventRef("nowhere", 1, OWNER))).isFalse();
    assertThat(row(second.eventId()).starts()).isZero();
    assertThat(row(done.eventId()).starts()).isZero();
  }

  @Test
  protected void R1_leasesAreKeptWithoutWaitingForLockedRows() throws SQLException {
    requireLeases();
    requireSkippedRows();
    OutboxEvent locked = insertClaimed();
    OutboxEvent free = insertClaimed();
    Connection other = openTransaction();
    lockRow(other, locked.eventId());

    assertThat(renew(List.of(locked.ref(), free.ref()), T0.plusSeconds(1)))
        .containsExactly(free.eventId());
    assertThat(start(locked.ref())).isFalse();
    EventRef lost = new EventRef(free.eventId(), free.leaseNumber() - 1, OWNER);
    assertThat(release(List.of(locked.ref(), lost)))
        .as("still held, because it is locked")
        .containsExactly(locked.eventId());
    other.rollback();
    assertThat(row(locked.eventId())).usingRecursiveComparison().isEqualTo(locked);
    assertThat(release(List.of(locked.ref(), free.ref()))).isEmpty();
    assertThat(row(locked.eventId()).lease()).isNull();
  }
}
