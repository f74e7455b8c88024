package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** R7: events that were claimed again and again without an outcome. */
class SuspectDeliveryTest {

  private final Engine engine = new Engine();
  private final CountDownLatch unblock = new CountDownLatch(1);

  @BeforeEach
  void claim() {
    engine.claiming(Duration.ofMinutes(5));
    engine.dispatcherSettings.maxAttempts(3);
  }

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.close();
  }

  private void seed(String id, int claimsBefore, int starts) {
    engine.store.seed(
        Events.event(id),
        row -> {
          row.claims = claimsBefore;
          row.starts = starts;
        });
  }

  private void awaitStatus(String id, EventStatus status) {
    await().until(() -> engine.store.status(id) == status);
  }

  @Test
  void R7_anEventOnItsThirdClaimIsDeliveredLikeAnyOther() {
    seed("e", 2, 0);
    engine.start();

    awaitStatus("e", EventStatus.DONE);
    assertThat(engine.store.calls("recordStart")).isZero();
  }

  @Test
  void R7_theStartOfASuspectIsCommittedBeforeItsListenerIsCalled() {
    List<Integer> starts = new CopyOnWriteArrayList<>();
    engine.listener(
        event -> {
          starts.add(engine.store.row(event.eventId()).starts());
          return null;
        });
    seed("e", 3, 1);
    engine.start();

    awaitStatus("e", EventStatus.DONE);
    assertThat(starts).containsExactly(2);
    assertThat(engine.store.row("e").starts()).as("an outcome clears the suspicion").isZero();
    assertThat(engine.store.row("e").claims()).isZero();
  }

  @Test
  void R7_aSuspectRunsAlone() {
    AtomicInteger running = new AtomicInteger();
    List<String> beside = new CopyOnWriteArrayList<>();
    engine.listener(
        event -> {
          int others = running.getAndIncrement();
          if (event.eventId().startsWith("suspect") && others > 0) {
            beside.add(event.eventId());
          }
          unblock.await();
          running.decrementAndGet();
          return null;
        });
    unblock.countDown();
    for (int i = 0; i < 40; i++) {
      seed(i % 4 == 0 ? "suspect" + i : "innocent" + i, i % 4 == 0 ? 5 : 0, 0);
    }
    engine.start();

    await().until(() -> engine.store.count(EventStatus.DONE) == 40);
    assertThat(beside).isEmpty();
    assertThat(engine.store.calls("recordStart")).isEqualTo(10);
  }

  @Test
  void R7_startsWithoutAnOutcomeLeadToDeadAtMaxAttempts() {
    seed("e", 7, 3);
    engine.start();

    awaitStatus("e", EventStatus.DEAD);
    assertThat(engine.delivered()).isEmpty();
    assertThat(engine.store.row("e").lastError()).contains("started 3 times without an outcome");
  }

  @Test
  void R7_claimsAloneNeverLeadToDead() {
    seed("e", 1_000, 0);
    seed("f", 1_000, 2);
    engine.start();

    awaitStatus("e", EventStatus.DONE);
    awaitStatus("f", EventStatus.DONE);
  }

  @Test
  void R7_aSuspectWhoseLeaseIsLostIsNotDelivered() {
    engine.store.before(
        "recordStart", lease -> engine.store.seed(Events.event("e"), row -> row.leaseNo = 99));
    seed("e", 5, 0);
    engine.build();
    engine.poller().poll();

    await().until(() -> engine.store.calls("recordStart") == 1);
    await().until(() -> engine.engine().held().size() == 0);
    assertThat(engine.delivered()).isEmpty();
  }

  @Test
  void R7_aStartThatCannotBeRecordedIsNoStart() {
    engine.store.before(
        "recordStart",
        lease -> {
          throw new IllegalStateException("injected");
        });
    seed("e", 5, 0);
    engine.build();
    engine.poller().poll();
    await().until(() -> engine.store.row("e").lease() == null);
    assertThat(engine.delivered()).isEmpty();
    engine.store.heal();
    engine.poller().poll();

    awaitStatus("e", EventStatus.DONE);
  }

  @Test
  void R7_aSuspectThatCannotBeAloneWaitsInTheTable() {
    engine.dispatcherSettings.workerCount(3);
    engine.listener(
        event -> {
          if (!event.eventId().equals("suspect")) {
            unblock.await();
          }
          return null;
        });
    engine.build();
    seed("slow", 0, 0);
    engine.poller().poll();
    await().until(() -> engine.delivered().contains("slow"));
    seed("slow suspect", 5, 0);
    engine.poller().poll();
    await().until(() -> engine.delivered().contains("slow suspect"));
    seed("suspect", 5, 0);
    engine.poller().poll();

    await().until(() -> engine.store.row("suspect").lease() == null);
    assertThat(engine.store.row("suspect").claims()).as("its claim is taken back").isEqualTo(5);
    assertThat(engine.delivered()).containsExactly("slow", "slow suspect");
    unblock.countDown();
    awaitStatus("slow", EventStatus.DONE);
    awaitStatus("slow suspect", EventStatus.DONE);
    engine.poller().poll();
    awaitStatus("suspect", EventStatus.DONE);
  }
}
