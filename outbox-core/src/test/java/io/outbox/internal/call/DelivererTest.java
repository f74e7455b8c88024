package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.ManualClock;
import io.outbox.internal.Conditions;
import io.outbox.internal.keyed.KeyedDelivery;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.record.OutcomeDecision;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.lanes.Lane;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DelivererTest {

  private final List<String> called = new CopyOnWriteArrayList<>();
  private final List<String> putBack = new CopyOnWriteArrayList<>();
  private final List<String> returned = new CopyOnWriteArrayList<>();
  private final CountDownLatch suspectRuns = new CountDownLatch(1);
  private final CountDownLatch suspectMayEnd = new CountDownLatch(1);
  private final CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
  private volatile boolean leased = true;
  private volatile boolean broken;
  private volatile boolean full;

  private static KeyedDelivery event(String id, int claims) {
    return event(id, "T", claims);
  }

  private static KeyedDelivery event(String id, String type, int claims) {
    OutboxEvent row =
        OutboxEvent.builder(id, type)
            .payloadJson("{}")
            .availableAt(Instant.EPOCH)
            .createdAt(Instant.EPOCH)
            .claims(claims)
            .build();
    EventKey key = EventKey.named(id);
    return new KeyedDelivery(row, key, new Lane(key.lane(), 1), EventEnvelope.fromRow(row), null);
  }

  private Deliverer deliverer() {
    OutboxStore store =
        (OutboxStore)
            Proxy.newProxyInstance(
                OutboxStore.class.getClassLoader(),
                new Class<?>[] {OutboxStore.class},
                (proxy, method, args) -> method.getName().equals("recordStart"));
    DefaultListenerRegistry registry = new DefaultListenerRegistry();
    registry.register(
        "T",
        event -> {
          called.add(event.eventId());
          if (event.eventId().equals("suspect")) {
            suspectRuns.countDown();
            suspectMayEnd.await();
          }
          return DispatchResult.done();
        });
    registry.registerAsync("A", event -> answer);
    return new Deliverer(
        new Deliverer.Callbacks() {
          @Override
          public boolean mayBeCalled(Delivery delivery) {
            return leased;
          }

          @Override
          public void finished(Delivery delivery, Outcome outcome, boolean mayWait) {
            if (full) {
              throw new OutOfMemoryError("no room for an outcome");
            }
          }

          @Override
          public void awaitSettled(Delivery delivery) {}

          @Override
          public void putBack(Delivery delivery) {
            putBack.add(delivery.eventId());
          }

          @Override
          public void notCalled(Delivery delivery, Instant at) {}

          @Override
          public void started(Delivery delivery) {}

          @Override
          public void returned(Delivery delivery) {
            returned.add(delivery.eventId());
          }

          @Override
          public void answered(long nanos) {
            if (broken) {
              throw new StackOverflowError("on the thread of the answer");
            }
          }
        },
        new StoreSession(new FakeDatabase(), store),
        new EngineClock(new ManualClock()),
        new Listeners(registry, List.of()),
        new MissingListeners(
            Duration.ZERO,
            Instant::now,
            route -> false,
            new Conditions(Instant::now),
            (begun, ended) -> {}),
        new DefaultInFlightTracker(),
        new OutcomeDecision(3, null, new ExponentialBackoffRetryPolicy(1, 1), false),
        false,
        new AsyncCalls(() -> {}),
        new CircuitBreakers(route -> true, 10, 1_000_000, breaker -> {}));
  }

  @Test
  void whatLosesItsLeaseWhileASuspectRunsIsNotStarted() throws Exception {
    Deliverer deliverer = deliverer();
    Thread suspect = worker(deliverer, event("suspect", 5));
    assertThat(suspectRuns.await(60, TimeUnit.SECONDS)).isTrue();
    Thread other = worker(deliverer, event("other", 0));
    await().until(() -> other.getState() == Thread.State.TIMED_WAITING);

    leased = false;
    suspectMayEnd.countDown();
    suspect.join(10_000);
    other.join(10_000);

    assertThat(called).containsExactly("suspect");
    assertThat(putBack).containsExactly("other");
  }

  @Test
  void aThreadIsFreeThoughTheAnswerIsStillToCome() throws Exception {
    deliverer().deliver(event("e", "A", 0));

    assertThat(returned).containsExactly("e");
  }

  @Test
  void R1_anErrorOnTheThreadOfAnAnswerDoesNotKeepTheEvent() throws Exception {
    deliverer().deliver(event("e", "A", 0));
    broken = true;

    answer.complete(DispatchResult.done());

    assertThat(putBack).containsExactly("e");
  }

  @Test
  void R1_anErrorAfterTheOutcomeWasDecidedDoesNotKeepTheEvent() throws Exception {
    deliverer().deliver(event("e", "A", 0));
    full = true;

    answer.complete(DispatchResult.done());

    assertThat(putBack).containsExactly("e");
  }

  private static Thread worker(Deliverer deliverer, Delivery delivery) {
    Thread thread =
        new Thread(
            () -> {
              try {
                deliverer.deliver(delivery);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    return thread;
  }
}
