package io.outbox.internal.hot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.store.StoreSession;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HotRowCheckTest {

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final Map<String, Boolean> answers = new ConcurrentHashMap<>();
  private final HotRowCheck check =
      new HotRowCheck(
          new StoreSession(database, store),
          10,
          (delivery, there) -> answers.put(delivery.eventId(), there));

  @AfterEach
  void close() {
    check.close();
  }

  private static Delivery delivery(String id) {
    return Delivery.ofCommitted(Events.event(id), null);
  }

  @Test
  void R2_whatWasRolledBackBehindOurBackIsNotThere() {
    store.seed(Events.event("there"));
    check.start();
    check.offer(delivery("there"));
    check.offer(delivery("gone"));

    await().until(() -> answers.equals(Map.of("there", true, "gone", false)));
  }

  @Test
  void manyAreLookedUpWithOneQuery() {
    for (int i = 0; i < 10; i++) {
      store.seed(Events.event("e" + i));
      assertThat(check.offer(delivery("e" + i))).isTrue();
    }
    check.start();

    await().until(() -> answers.size() == 10);
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
    await().until(() -> answers.equals(Map.of("a", false)));
    database.onConnect = () -> {};
    check.offer(delivery("b"));

    await().until(() -> answers.equals(Map.of("a", false, "b", true)));
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

    await().until(() -> answers.equals(Map.of("a", true)));
  }
}
