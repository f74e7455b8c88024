package io.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.ManualClock;
import io.outbox.internal.Conditions;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseKeeperTest {

  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  private final ManualClock clock = new ManualClock();
  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database, clock);
  private final StoreSession session = new StoreSession(database, store);
  private final CallWatch calls = new CallWatch(new Conditions(clock::instant));
  private final AtomicInteger answers = new AtomicInteger();
  private final HeldEvents held = new HeldEvents();

  private LeaseKeeper keeper(Duration timeout) {
    return new LeaseKeeper(
        session, calls, new EngineClock(clock), held, answers::incrementAndGet, "me", timeout);
  }

  /** A row and the delivery of it, under this lease. */
  private Delivery leased(String id, Lease lease) {
    store.seed(
        Events.event(id),
        row -> {
          row.lockedBy = lease.owner();
          row.lockedAt = lease.lockedAt();
          row.leaseNo = lease.number();
        });
    Delivery delivery = Delivery.ofRow(store.row(id), Events.event(id));
    held.hold(delivery);
    return delivery;
  }

  private Delivery claimedNow(String id) {
    return leased(id, new Lease("me", clock.instant(), 3));
  }

  @Test
  void R18_aNodeWhoseCallsDoNotComeBackRenewsNothingAndLetsGo() throws Exception {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = claimedNow("e");
    calls.under(Duration.ofSeconds(1));
    CountDownLatch release = new CountDownLatch(1);
    StoreSession hanging =
        new StoreSession(
            () -> {
              awaitUninterruptibly(release);
              return database.getConnection();
            },
            store,
            calls);
    CompletableFuture<Integer> call =
        CompletableFuture.supplyAsync(() -> hanging.read(conn -> store.countDead(conn, null)));
    try {
      await().until(calls::isStuck);
      clock.advance(FIVE_MINUTES.dividedBy(2));
      keeper.beat();
      assertThat(store.calls("renewLeases")).isZero();
      assertThat(held.all()).contains(delivery);

      clock.advance(FIVE_MINUTES);
      keeper.beat();
      assertThat(store.calls("renewLeases")).isZero();
      assertThat(held.all()).doesNotContain(delivery);
    } finally {
      release.countDown();
    }
    call.get(30, TimeUnit.SECONDS);
    assertThat(calls.isStuck()).isFalse();
    claimedNow("f");
    clock.advance(FIVE_MINUTES.dividedBy(2));
    keeper.beat();
    assertThat(store.calls("renewLeases")).isEqualTo(1);
  }

  /** Copies of an event are held under its lease until their rows are written. */
  @Test
  void R18_aRowThatIsWrittenWithoutALeaseDuringTheBeatDoesNotEndIt() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Lease born = new Lease("me", clock.instant(), Lease.BORN);
    Delivery copy =
        Delivery.ofUnwritten(Events.event("c"), born, born.lockedAt(), (delivery, end) -> true);
    held.hold(copy);
    Delivery other = claimedNow("e");
    store.before("renewLeases", leases -> copy.written(null));
    clock.advance(FIVE_MINUTES.dividedBy(2));

    keeper.beat();

    assertThat(held.all()).contains(copy, other);
    assertThat(other.lockedAt()).isEqualTo(clock.instant());
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void takeAway(String id) {
    store.seed(
        Events.event(id),
        row -> {
          row.lockedBy = "other";
          row.lockedAt = clock.instant();
          row.leaseNo = 4;
        });
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  // ---- born leases

  @ParameterizedTest(name = "claim timeout {0} s: ends {1} s after the write")
  @CsvSource({"300, 30", "3600, 30", "30, 30", "10, 10", "1, 1"})
  void R4_aBornLeaseLastsTheClaimTimeoutButNotLong(long timeout, long lasts) {
    Lease born = keeper(seconds(timeout)).born();

    assertThat(born.owner()).isEqualTo("me");
    assertThat(born.number()).isEqualTo(Lease.BORN);
    assertThat(born.lockedAt().plusSeconds(timeout)).isEqualTo(clock.instant().plusSeconds(lasts));
  }

  // ---- before a listener is called

  @Test
  void R5_aFreshLeaseIsGoodEnough() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = leased("e", keeper.born());
    clock.advance(seconds(15));

    assertThat(keeper.ensure(delivery)).isTrue();
    assertThat(store.calls("renewLeases")).isZero();
  }

  @Test
  void R5_whenHalfOfABornLeaseHasPassedItIsRenewed() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = leased("e", keeper.born());
    clock.advance(seconds(16));

    assertThat(keeper.ensure(delivery)).isTrue();
    assertThat(store.row("e").lease().lockedAt()).isEqualTo(clock.instant());
    assertThat(delivery.lockedAt()).isEqualTo(clock.instant());
    assertThat(keeper.ensure(delivery)).isTrue();
    assertThat(store.calls("renewLeases")).isEqualTo(1);
    assertThat(answers).hasValue(1);
  }

  @Test
  void R5_aLeaseThatIsLostIsNoLease() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = leased("e", keeper.born());
    clock.advance(seconds(40));
    takeAway("e");

    assertThat(keeper.ensure(delivery)).isFalse();
    assertThat(store.row("e").lease().owner()).isEqualTo("other");
  }

  @Test
  void R5_aLeaseThatCannotBeRenewedIsNoLease() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = leased("e", keeper.born());
    clock.advance(seconds(40));
    store.before(
        "renewLeases",
        leases -> {
          throw new IllegalStateException("injected");
        });

    assertThat(keeper.ensure(delivery)).isFalse();
  }

  @Test
  void R5_aRenewalThatIsAnsweredWhenItIsOverIsNoLease() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = leased("e", keeper.born());
    clock.advance(seconds(16));
    store.before("renewLeases", leases -> clock.advance(FIVE_MINUTES));

    assertThat(keeper.ensure(delivery)).isFalse();
  }

  @Test
  void anEventWithoutALeaseNeedsNone() {
    assertThat(keeper(FIVE_MINUTES).ensure(Delivery.ofCommitted(Events.event("e"), null))).isTrue();
  }

  // ---- the beat

  @Test
  void R5_whatIsHeldIsRenewedWhenAThirdOfTheTimeoutHasPassed() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery queued = claimedNow("queued");
    Delivery running = claimedNow("running");
    running.start();
    clock.advance(seconds(100));
    keeper.beat();
    assertThat(store.calls("renewLeases")).as("not yet").isZero();
    clock.advance(seconds(1));
    Delivery fresh = claimedNow("fresh");
    Instant claimedAt = clock.instant();
    clock.advance(seconds(1));
    keeper.beat();

    assertThat(store.calls("renewLeases")).as("one statement for all").isEqualTo(1);
    assertThat(queued.lockedAt()).isEqualTo(clock.instant());
    assertThat(running.lockedAt()).isEqualTo(clock.instant());
    assertThat(store.row("running").lease().lockedAt()).isEqualTo(clock.instant());
    assertThat(fresh.lockedAt()).isEqualTo(claimedAt);
  }

  @Test
  void R5_aBornLeaseIsRenewedAtTheFirstBeat() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = leased("e", keeper.born());
    clock.advance(seconds(10));
    keeper.beat();

    assertThat(delivery.lockedAt()).isEqualTo(clock.instant());
  }

  @Test
  void R5_aQueuedEventWhoseLeaseIsLostIsDropped() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = claimedNow("e");
    clock.advance(seconds(301));
    takeAway("e");
    keeper.beat();

    assertThat(delivery.start()).isFalse();
    assertThat(held.size()).isZero();
  }

  @Test
  void R5_aRunningEventWhoseLeaseIsLostGoesOn() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = claimedNow("e");
    delivery.start();
    clock.advance(seconds(301));
    takeAway("e");
    keeper.beat();

    assertThat(held.all()).containsExactly(delivery);
  }

  @Test
  void R3_aQueuedEventWhoseRowIsOnlyLockedIsKept() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = claimedNow("e");
    clock.advance(seconds(200));
    // A store that passes over locked rows renews nothing then.
    store.before("renewLeases", leases -> database.delete("e"));
    keeper.beat();

    assertThat(held.all()).containsExactly(delivery);
    assertThat(delivery.start()).isTrue();
  }

  @Test
  void R3_anEventThatWasClaimedAgainDuringTheBeatIsKept() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = claimedNow("e");
    clock.advance(seconds(301));
    store.before(
        "renewLeases",
        leases -> {
          Lease again = new Lease("me", clock.instant(), 4);
          store.seed(
              Events.event("e"),
              row -> {
                row.lockedBy = "me";
                row.lockedAt = again.lockedAt();
                row.leaseNo = 4;
              });
          held.adopt(Events.row("e", again));
        });
    keeper.beat();

    assertThat(held.all()).containsExactly(delivery);
    assertThat(delivery.start()).isTrue();
    assertThat(delivery.ref().leaseNumber()).isEqualTo(4);
  }

  @Test
  void R23_anEventThatIsClaimedAgainWhenItWasToBeDroppedIsKept() {
    Lease again = new Lease("me", clock.instant().plusSeconds(301), 4);
    Runnable[] next = {() -> {}};
    Clock watched =
        new WatchedClock(
            clock,
            () -> {
              Runnable now = next[0];
              next[0] = () -> {};
              now.run();
            });
    LeaseKeeper keeper =
        new LeaseKeeper(
            session,
            calls,
            new EngineClock(watched),
            held,
            answers::incrementAndGet,
            "me",
            FIVE_MINUTES);
    Delivery delivery = claimedNow("e");
    clock.advance(seconds(301));
    // Behind the renewal, the clock is asked whether the lease has ended.
    store.before(
        "renewLeases",
        leases -> {
          takeAway("e");
          next[0] = () -> held.adopt(Events.row("e", again));
        });
    keeper.beat();

    assertThat(delivery.ref().leaseNumber()).isEqualTo(4);
    assertThat(held.all()).containsExactly(delivery);
    assertThat(delivery.start()).isTrue();
  }

  /** Does something whenever it is asked. */
  private static final class WatchedClock extends Clock {
    private final Clock time;
    private final Runnable whenAsked;

    WatchedClock(Clock time, Runnable whenAsked) {
      this.time = time;
      this.whenAsked = whenAsked;
    }

    @Override
    public ZoneId getZone() {
      return time.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return time.withZone(zone);
    }

    @Override
    public Instant instant() {
      whenAsked.run();
      return time.instant();
    }
  }

  @Test
  void aListenerThatIsStuckDoesNotKeepItsLeaseForEver() {
    Duration timeout = Duration.ofMillis(10);
    LeaseKeeper keeper = keeper(timeout);
    Delivery stuck = claimedNow("e");
    stuck.start();
    await().until(() -> System.nanoTime() - stuck.heldSinceNanos() > 13 * timeout.toNanos());
    clock.advance(timeout);
    keeper.beat();

    assertThat(store.calls("renewLeases")).isZero();
  }

  @Test
  void nothingHeldIsNothingToDo() {
    keeper(FIVE_MINUTES).beat();

    assertThat(database.connections()).isZero();
  }

  @Test
  void whatHasNoLeaseIsLeftAlone() {
    store.seed(Events.event("e"));
    held.hold(Delivery.ofCommitted(Events.event("e"), null));
    clock.advance(Duration.ofDays(1));
    keeper(FIVE_MINUTES).beat();

    assertThat(store.calls("renewLeases")).isZero();
  }

  @Test
  void aBeatThatFailsChangesNothing() {
    LeaseKeeper keeper = keeper(FIVE_MINUTES);
    Delivery delivery = claimedNow("e");
    Instant claimedAt = clock.instant();
    clock.advance(seconds(301));
    store.before(
        "renewLeases",
        leases -> {
          throw new IllegalStateException("injected");
        });

    assertThatIllegalStateException().isThrownBy(keeper::beat);
    assertThat(held.all()).containsExactly(delivery);
    assertThat(delivery.lockedAt()).isEqualTo(claimedAt);
  }

  @Test
  void R1_theKeeperSurvivesFailingBeats() {
    AtomicInteger calls = new AtomicInteger();
    store.before(
        "renewLeases",
        leases -> {
          if (calls.incrementAndGet() <= 3) {
            throw new NoClassDefFoundError("injected");
          }
        });
    LeaseKeeper keeper = keeper(seconds(1).dividedBy(10));
    Delivery delivery = claimedNow("e");
    clock.advance(Duration.ofMillis(50));
    keeper.start();
    try {
      await().until(() -> clock.instant().equals(delivery.lockedAt()));
    } finally {
      keeper.close();
    }
    assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
  }
}
