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
import io.outbox.internal.breaker.CircuitBreakers;
import io.outbox.internal.keyed.KeyedDelivery;
import io.outbox.internal.policy.Policies;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.record.OutcomeDecision;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
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

  private Deliverer<KeyedDelivery> deliverer() {
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
    WorkQueue<KeyedDelivery> queue = new Queue();
    SafeTracker tracker = new SafeTracker(new DefaultInFlightTracker());
    CallOutcomes<KeyedDelivery> outcomes =
        new CallOutcomes<>(
            new Policies<>(
                new OutcomeDecision(3, null, new ExponentialBackoffRetryPolicy(1, 1), false),
                null,
                route -> true,
                1_000_000,
                new NoPolicies()),
            new EngineClock(new ManualClock()),
            metrics());
    AsyncCalls asyncCalls = new AsyncCalls(() -> {});
    SoloStart solo = new SoloStart();
    SuspectStarts<KeyedDelivery> suspects =
        new SuspectStarts<>(
            new StoreSession(new FakeDatabase(), store), new HeldEvents(), solo, queue::mayStart);
    return new Deliverer<>(
        queue,
        new Listeners(registry, List.of()),
        new MissingListeners(
            Duration.ZERO,
            Instant::now,
            route -> false,
            new Conditions(Instant::now),
            (begun, ended) -> {}),
        new CircuitBreakers(route -> true, 10, 1_000_000, breaker -> {}),
        tracker,
        outcomes,
        new ListenerCalls<>(queue, tracker, outcomes, asyncCalls, solo, suspects, null));
  }

  private static final class NoPolicies implements Policies.Engine<KeyedDelivery> {
    @Override
    public void again(KeyedDelivery delivery) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void heldBackChanged(boolean begun, boolean ended) {
      throw new UnsupportedOperationException();
    }
  }

  private MetricsExporter metrics() {
    return (MetricsExporter)
        Proxy.newProxyInstance(
            MetricsExporter.class.getClassLoader(),
            new Class<?>[] {MetricsExporter.class},
            (proxy, method, args) -> {
              if (broken && method.getName().equals("recordListenerDuration")) {
                throw new StackOverflowError("on the thread of the answer");
              }
              return null;
            });
  }

  private final class Queue implements WorkQueue<KeyedDelivery> {
    @Override
    public KeyedDelivery next() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean mayStart(KeyedDelivery delivery) {
      return leased;
    }

    @Override
    public void started(KeyedDelivery delivery) {}

    @Override
    public void returned(KeyedDelivery delivery) {
      returned.add(delivery.eventId());
    }

    @Override
    public void finished(KeyedDelivery delivery, Outcome outcome, boolean mayWait) {
      if (full) {
        throw new OutOfMemoryError("no room for an outcome");
      }
    }

    @Override
    public void putBack(KeyedDelivery delivery) {
      putBack.add(delivery.eventId());
    }

    @Override
    public void notCalled(KeyedDelivery delivery, Instant at) {}
  }

  @Test
  void whatLosesItsLeaseWhileASuspectRunsIsNotStarted() throws Exception {
    Deliverer<KeyedDelivery> deliverer = deliverer();
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

  private static Thread worker(Deliverer<KeyedDelivery> deliverer, KeyedDelivery delivery) {
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
