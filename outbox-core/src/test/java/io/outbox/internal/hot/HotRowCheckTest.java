package io.outbox.internal.hot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.internal.lease.LeaseReturns;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.WakeUps;
import io.outbox.model.Lease;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HotRowCheckTest {

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final DeliveryQueues queues = new DeliveryQueues(100, 100, 1_000_000);
  private final HeldEvents held = new HeldEvents();
  private final StoreSession session = new StoreSession(database, store);
  private final HotRowCheck check =
      new HotRowCheck(
          session, queues, held, new LeaseReturns(session, () -> {}), new WakeUps(), 10, true);

  @AfterEach
  void close() {
    check.close();
  }

  /** An event that was committed and has a place in the queue. */
  private Delivery delivery(String id) {
    Delivery delivery = Delivery.ofCommitted(Events.event(id), null);
    held.hold(delivery);
    queues.reserveHot(delivery.bytes());
    return delivery;
  }

  private void awaitAnswers(String... queued) {
    await().until(() -> queues.hotDepth() == queued.length && held.size() == queued.length);
    assertThat(held.all()).extracting(Delivery::eventId).containsExactlyInAnyOrder(queued);
  }

  @Test
  void R2_whatWasRolledBackBehindOurBackIsNotThere() {
    store.seed(Events.event("there"));
    check.start();
    check.offer(delivery("there"));
    check.offer(delivery("gone"));

    awaitAnswers("there");
  }

  @Test
  void manyAreLookedUpWithOneQuery() {
    for (int i = 0; i < 10; i++) {
      store.seed(Events.event("e" + i));
      assertThat(check.offer(delivery("e" + i))).isTrue();
    }
    check.start();

    await().until(() -> queues.hotDepth() == 10);
    assertThat(store.calls("findExisting")).isEqualTo(1);
  }

  @Test
  void R13_thereIsRoomForSoManyOnly() {
    for (int i = 0; i < 10; i++) {
      assertThat(check.offer(delivery("e" + i))).isTrue();
    }
    assertThat(check.offer(delivery("one too many"))).isFalse();
  }

  @Test
  void R1_whenTheDatabaseIsAwayTheyAreLeftToThePollerAndTheCheckGoesOn() {
    store.seed(Events.event("a"));
    store.seed(Events.event("b"));
    database.onConnect =
        () -> {
          throw new SQLException("refused", "08001");
        };
    check.start();
    check.offer(delivery("a"));
    awaitAnswers();
    database.onConnect = () -> {};
    check.offer(delivery("b"));

    awaitAnswers("b");
  }

  @Test
  void R23_whatIsGivenBackTakesNoOtherLease() {
    Lease born = new Lease("me", Events.CREATED, Lease.BORN);
    Lease claimed = new Lease("me", Events.CREATED.plusSeconds(60), 2);
    Delivery delivery = Delivery.ofCommitted(Events.event("gone"), born);
    held.hold(delivery);
    queues.reserveHot(delivery.bytes());
    CompletableFuture<Boolean> adopted = new CompletableFuture<>();
    // A poll of the same node has claimed it; what it cannot hand over it gives back.
    store.before(
        "releaseLeases", leases -> adopted.complete(held.adopt(Events.row("gone", claimed))));
    check.start();
    check.offer(delivery);

    assertThat(adopted).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(false);
    awaitAnswers();
  }

  @Test
  void R15_closingGivesBackWhatWasNotLookedAt() {
    check.offer(delivery("a"));
    check.offer(delivery("b"));
    List<Delivery> left = check.close();

    assertThat(left).extracting(Delivery::eventId).containsExactly("a", "b");
    assertThat(check.offer(delivery("late"))).isFalse();
  }

  @Test
  void R15_whatIsBeingLookedAtWhenItIsClosedIsAnswered() {
    CountDownLatch looking = new CountDownLatch(1);
    CountDownLatch unblock = new CountDownLatch(1);
    store.seed(Events.event("a"));
    store.before(
        "findExisting",
        ids -> {
          looking.countDown();
          try {
            unblock.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    check.start();
    check.offer(delivery("a"));
    await().until(() -> looking.getCount() == 0);
    assertThat(check.close()).isEmpty();
    unblock.countDown();

    awaitAnswers("a");
  }
}
