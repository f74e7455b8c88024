package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.EventInterceptor;
import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.fakes.ManualClock;
import io.outbox.fakes.OutboxThreads;
import io.outbox.fakes.RecordingMetrics;
import io.outbox.fakes.SpecOnlyStore;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OutboxBuilderTest {

  private final OutboxThreads threads = new OutboxThreads();
  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final FakeTx tx = new FakeTx(database);
  private final RecordingMetrics metrics = new RecordingMetrics();
  private final List<String> delivered = new CopyOnWriteArrayList<>();
  private final List<Outbox> open = new ArrayList<>();
  private final DefaultListenerRegistry registry =
      new DefaultListenerRegistry()
          .register(
              Events.TYPE,
              event -> {
                delivered.add(event.eventId());
                return null;
              });

  @AfterEach
  void close() {
    open.forEach(Outbox::close);
    await().untilAsserted(() -> assertThat(threads.alive()).isEmpty());
  }

  private <B extends Outbox.AbstractBuilder<B>> B complete(B builder) {
    return builder
        .connectionProvider(database)
        .txContext(tx)
        .outboxStore(store)
        .listenerRegistry(registry)
        .metrics(metrics);
  }

  private Outbox build(Outbox.AbstractBuilder<?> builder) {
    Outbox outbox = builder.build();
    open.add(outbox);
    return outbox;
  }

  private void write(Outbox outbox, EventEnvelope... events) {
    tx.run(() -> outbox.writer().writeAll(List.of(events)));
  }

  // ---- the modes

  @Test
  void aSingleNodeDeliversFromTheCommitOnAndByPolling() {
    store.seed(Events.event("old"));
    Outbox outbox = build(complete(Outbox.singleNode()));
    write(outbox, Events.event("new"));

    await().until(() -> store.count(EventStatus.DONE) == 2);
    assertThat(metrics.count("hot")).isEqualTo(1);
    await().until(() -> metrics.count("cold") == 1); // counted once it is queued
    assertThat(delivered).containsExactlyInAnyOrder("old", "new");
  }

  @Test
  void manyNodesDeliverUnderLeases() {
    store.seed(Events.event("old"));
    CountDownLatch unblock = new CountDownLatch(1);
    registry.register(
        "Slow",
        event -> {
          unblock.await();
          return null;
        });
    Outbox outbox = build(complete(Outbox.multiNode()).claimLocking("node", FIVE_MINUTES));
    await().until(() -> store.count(EventStatus.DONE) == 1);
    write(outbox, Events.event("slow", "Slow"));

    assertThat(store.row("slow").lease().owner()).startsWith("node");
    unblock.countDown();
    await().until(() -> store.count(EventStatus.DONE) == 2);
  }

  @Test
  void bothSidesOfANodeHaveOneOwner() {
    CountDownLatch unblock = new CountDownLatch(1);
    registry.register(
        "Slow",
        event -> {
          unblock.await();
          return null;
        });
    Outbox outbox = build(complete(Outbox.multiNode()).claimLocking("x".repeat(117), FIVE_MINUTES));
    await().until(() -> store.calls("fetchPending") >= 1);
    write(outbox, Events.event("hot", "Slow"));
    store.seed(Events.event("cold", "Slow"));
    write(outbox, delayed("wakes the poller"));
    await().until(() -> store.row("cold").lease() != null);

    assertThat(store.row("hot").lease().owner())
        .hasSize(128)
        .isEqualTo(store.row("cold").lease().owner());
    unblock.countDown();
    await().until(() -> store.count(EventStatus.DONE) == 3);
  }

  private static EventEnvelope delayed(String id) {
    return EventEnvelope.builder(Events.TYPE)
        .eventId(id)
        .deliverAfter(Duration.ofMillis(1))
        .payloadJson("{}")
        .build();
  }

  @Test
  void anOrderedOutboxDeliversInOrderOnceAndByPollingOnly() {
    registry.register(
        "Failing",
        event -> {
          delivered.add(event.eventId());
          throw new IllegalStateException("injected");
        });
    Outbox outbox = build(complete(Outbox.ordered()).intervalMs(20).batchSize(7));
    for (int i = 0; i < 60; i++) {
      write(outbox, Events.event("e" + i, i == 30 ? "Failing" : Events.TYPE));
    }

    await().until(() -> store.count(EventStatus.NEW) == 0);
    assertThat(delivered).isEqualTo(Events.events("e", 60).map(EventEnvelope::eventId).toList());
    assertThat(store.status("e30")).as("one attempt").isEqualTo(EventStatus.DEAD);
    assertThat(metrics.count("hot")).isZero();
  }

  @Test
  void aWriterOnlyWrites() {
    Outbox outbox = build(Outbox.writerOnly().txContext(tx).outboxStore(store));
    write(outbox, Events.event("e"));

    assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
    assertThat(threads.alive()).isEmpty();
    assertThat(tx.registrations()).isZero();
  }

  @Test
  void everyModeCanPurge() {
    AtomicInteger purges = new AtomicInteger();
    for (Outbox.AbstractBuilder<?> builder :
        List.of(
            complete(Outbox.singleNode()),
            complete(Outbox.multiNode()).claimLocking(FIVE_MINUTES),
            complete(Outbox.ordered()),
            complete(Outbox.writerOnly()))) {
      builder.purger(
          (conn, before, limit) -> {
            purges.incrementAndGet();
            return 0;
          });
      build(builder);
    }

    await().until(() -> purges.get() == 4);
  }

  @Test
  void thePurgeIsAsItWasSet() {
    List<String> purges = new CopyOnWriteArrayList<>();
    ManualClock clock = new ManualClock();
    build(
        complete(Outbox.writerOnly())
            .outboxStore(new FakeStore(database, clock)) // the database's time counts
            .purgeRetention(Duration.ofHours(24))
            .purgeBatchSize(7)
            .purgeIntervalSeconds(1800)
            .purger(
                (conn, before, limit) -> {
                  purges.add(Duration.between(before, clock.instant()) + " " + limit);
                  return 0;
                }));

    await().until(() -> purges.equals(List.of("PT24H 7")));
  }

  @Test
  void theSettingsReachTheEngine() {
    List<String> dead = new CopyOnWriteArrayList<>();
    registry.register(
        "Failing",
        event -> {
          delivered.add(event.eventId());
          throw new IllegalStateException("injected");
        });
    Outbox outbox =
        build(
            complete(Outbox.singleNode())
                .maxAttempts(2)
                .retryPolicy(attempts -> 1)
                .interceptor(EventInterceptor.before(event -> dead.add("before")))
                .interceptors(List.of(EventInterceptor.after((event, error) -> dead.add("after"))))
                .onDead((event, reason) -> dead.add("dead " + event.eventId())));
    write(outbox, Events.event("e", "Failing"));

    await().until(() -> dead.contains("dead e"));
    assertThat(dead).containsExactly("before", "after", "before", "after", "dead e");
    assertThat(delivered).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("deliveringBuilders")
  void whatIsDeliveredIsDeletedIfAsked(Supplier<Outbox.DispatchingBuilder<?>> builders) {
    registry.register("Bad", event -> DispatchResult.dead("bad"));
    store.seed(Events.event("old"));
    Outbox.DispatchingBuilder<?> builder = builders.get();
    builder.connectionProvider(database).txContext(tx).outboxStore(store);
    Outbox outbox = build(builder.listenerRegistry(registry).metrics(metrics).deleteOnDone(true));
    write(outbox, Events.event("new"), Events.event("bad", "Bad"));

    await().until(() -> metrics.count("success") == 2 && metrics.count("dead") == 1);
    assertThat(delivered).containsExactlyInAnyOrder("old", "new");
    assertThat(store.rows()).singleElement().matches(row -> row.status() == EventStatus.DEAD);
  }

  // ---- what is refused

  @ParameterizedTest
  @MethodSource("deliveringBuilders")
  void R17_deletingNeedsAStoreThatCan(Supplier<Outbox.DispatchingBuilder<?>> builders) {
    Outbox.DispatchingBuilder<?> builder = builders.get();
    builder.connectionProvider(database).txContext(tx).outboxStore(new SpecOnlyStore(store));
    builder.listenerRegistry(registry).deleteOnDone(true).autoStart(false);

    assertThatIllegalStateException()
        .isThrownBy(builder::build)
        .withMessageContaining("deleteOnDone needs a store that can delete")
        .withMessageContaining(SpecOnlyStore.class.getName());
    open.add(builder.deleteOnDone(false).build());
  }

  @Test
  void R17_manyNodesNeedClaimLocking() {
    assertThatIllegalStateException()
        .isThrownBy(() -> complete(Outbox.multiNode()).build())
        .withMessageContaining("claimLocking");
    assertThat(threads.alive()).isEmpty();
  }

  static Stream<Supplier<Outbox.AbstractBuilder<?>>> deliveringBuilders() {
    return Stream.of(
        Outbox::singleNode, () -> Outbox.multiNode().claimLocking(FIVE_MINUTES), Outbox::ordered);
  }

  @ParameterizedTest
  @MethodSource("deliveringBuilders")
  void R17_whatIsMissingIsNamedAndNothingIsStarted(Supplier<Outbox.AbstractBuilder<?>> builders) {
    Outbox.AbstractBuilder<?> builder = builders.get();
    assertThatNullPointerException()
        .isThrownBy(builder::build)
        .withMessageContaining("txContext is required");
    builder.txContext(tx);
    assertThatNullPointerException()
        .isThrownBy(builder::build)
        .withMessageContaining("outboxStore is required");
    builder.outboxStore(store);
    assertThatNullPointerException()
        .isThrownBy(builder::build)
        .withMessageContaining("connectionProvider is required");
    builder.connectionProvider(database);
    assertThatNullPointerException()
        .isThrownBy(builder::build)
        .withMessageContaining("listenerRegistry is required");
    assertThat(threads.alive()).isEmpty();
  }

  @Test
  void R17_aWriterNeedsAConnectionOnlyToPurge() {
    assertThatNullPointerException()
        .isThrownBy(() -> Outbox.writerOnly().build())
        .withMessageContaining("txContext");
    assertThatNullPointerException()
        .isThrownBy(() -> Outbox.writerOnly().txContext(tx).build())
        .withMessageContaining("outboxStore");
    assertThatNullPointerException()
        .isThrownBy(
            () ->
                Outbox.writerOnly()
                    .txContext(tx)
                    .outboxStore(store)
                    .purger((conn, before, limit) -> 0)
                    .build())
        .withMessageContaining("connectionProvider (the purger needs it) is required");
  }

  static Stream<Consumer<Outbox.MultiNodeBuilder>> wrong() {
    return Stream.of(
        builder -> builder.workerCount(0),
        builder -> builder.hotQueueCapacity(0),
        builder -> builder.coldQueueCapacity(0),
        builder -> builder.maxQueuedBytes(0),
        builder -> builder.maxAttempts(0),
        builder -> builder.intervalMs(0),
        builder -> builder.batchSize(0),
        builder -> builder.drainTimeoutMs(-1),
        builder -> builder.skipRecent(Duration.ofMillis(-1)),
        builder -> builder.purgeRetention(Duration.ofMillis(-1)),
        builder -> builder.purgeBatchSize(0),
        builder -> builder.purgeIntervalSeconds(0),
        builder -> builder.claimLocking(Duration.ZERO),
        builder -> builder.claimLocking("", FIVE_MINUTES),
        builder -> builder.claimLocking("x".repeat(118), FIVE_MINUTES),
        builder -> builder.claimLocking(Duration.ofSeconds(Long.MAX_VALUE)));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void R17_aWrongSettingIsRefusedAtOnce(Consumer<Outbox.MultiNodeBuilder> setting) {
    assertThatIllegalArgumentException().isThrownBy(() -> setting.accept(Outbox.multiNode()));
  }

  static Stream<Consumer<Outbox.MultiNodeBuilder>> nulls() {
    return Stream.of(
        builder -> builder.connectionProvider(null),
        builder -> builder.txContext(null),
        builder -> builder.outboxStore(null),
        builder -> builder.listenerRegistry(null),
        builder -> builder.metrics(null),
        builder -> builder.interceptor(null),
        builder -> builder.interceptors(null),
        builder -> builder.interceptors(Collections.singletonList(null)),
        builder -> builder.retryPolicy(null),
        builder -> builder.onDead(null),
        builder -> builder.clock(null),
        builder -> builder.skipRecent(null),
        builder -> builder.purger(null),
        builder -> builder.purgeRetention(null),
        builder -> builder.claimLocking(null),
        builder -> builder.claimLocking(null, FIVE_MINUTES));
  }

  @ParameterizedTest
  @MethodSource("nulls")
  void R17_nullIsRefusedAtOnce(Consumer<Outbox.MultiNodeBuilder> setting) {
    assertThatNullPointerException().isThrownBy(() -> setting.accept(Outbox.multiNode()));
  }

  // ---- the end

  @Test
  void R15_closingEndsEverythingAndCanBeRepeated() {
    Outbox outbox =
        build(complete(Outbox.multiNode()).claimLocking(FIVE_MINUTES).purger((c, b, l) -> 0));
    outbox.close();
    outbox.close();

    await().untilAsserted(() -> assertThat(threads.alive()).isEmpty());
    assertThat(database.openConnections()).isZero();
  }

  @Test
  void R13_afterTheEndEventsWaitInTheTable() {
    Outbox outbox = build(complete(Outbox.singleNode()));
    outbox.close();
    write(outbox, Events.event("e"));

    assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
    assertThat(delivered).isEmpty();
  }

  @Test
  void R15_aListenerMayCloseItsOwnOutbox() {
    AtomicInteger closed = new AtomicInteger();
    registry.register(
        "Closing",
        event -> {
          open.get(0).close();
          closed.incrementAndGet();
          return null;
        });
    Outbox outbox = build(complete(Outbox.singleNode()).workerCount(1).drainTimeoutMs(60_000));
    write(outbox, Events.event("e", "Closing"));

    await().until(() -> closed.get() == 1);
    await().until(() -> store.status("e") == EventStatus.DONE);
  }

  @Test
  void R15_aListenerAndAnotherThreadMayCloseAtTheSameTime() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    registry.register(
        "Closing",
        event -> {
          running.countDown();
          go.await();
          open.get(0).close();
          return null;
        });
    Outbox outbox = build(complete(Outbox.singleNode()).drainTimeoutMs(300));
    write(outbox, Events.event("e", "Closing"));
    running.await();
    Thread other = new Thread(outbox::close);
    other.start();
    go.countDown();

    await().until(() -> !other.isAlive());
  }

  /** Lets the making of a thread fail, as it does when there are too many. */
  private static final class FailingThreads extends InheritableThreadLocal<String>
      implements AutoCloseable {
    private int left;

    private FailingThreads(int threads) {
      left = threads;
      set("here");
    }

    @Override
    protected String childValue(String parent) {
      if (left-- == 0) {
        throw new IllegalStateException("no more threads");
      }
      return parent;
    }

    @Override
    public void close() {
      remove();
    }
  }

  @Test
  void R15_aBuildThatFailsHalfWayEndsWhatItHadStarted() {
    // The threads of the dispatcher are made, the poller's is not.
    int failed = 0;
    for (int most = 0; most < 8; most++) {
      try (FailingThreads limit = new FailingThreads(most)) {
        Outbox.AbstractBuilder<?> builder =
            complete(Outbox.singleNode()).purger((conn, before, count) -> 0);
        try {
          build(builder).close();
        } catch (IllegalStateException e) {
          assertThat(e).hasMessage("no more threads");
          failed++;
        }
      }
      await().untilAsserted(() -> assertThat(threads.alive()).isEmpty());
    }
    assertThat(failed).as("the poller's and the purge's among them").isGreaterThanOrEqualTo(7);
    assertThat(database.openConnections()).isZero();
  }

  @Test
  void R15_aStoreThatThrowsInTheBuildLeavesNothingBehind() {
    OutboxStore odd =
        new SpecOnlyStore(store) {
          @Override
          public boolean supportsLeases() {
            throw new AssertionError("injected");
          }
        };

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(
            () -> complete(Outbox.multiNode()).claimLocking(FIVE_MINUTES).outboxStore(odd).build());
    assertThat(threads.alive()).isEmpty();
  }
}
