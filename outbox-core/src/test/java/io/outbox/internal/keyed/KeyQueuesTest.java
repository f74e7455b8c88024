package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.ManualClock;
import io.outbox.internal.keyed.KeyIntake.Offer;
import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.member.PausedRoutes;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.BacklogReport;
import io.outbox.internal.store.LagReport;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.lanes.Lane;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class KeyQueuesTest {

  private static final EventKey KEY = EventKey.named("key");

  private final ManualClock clock = new ManualClock();
  private final List<Long> readOn = new ArrayList<>();
  private final List<EventKey> readAnyway = new ArrayList<>();
  private boolean wanted;
  private final KeyQueues queues =
      new KeyQueues(
          new EngineClock(clock),
          100,
          10_000,
          false,
          new KeyReads.Feed() {
            @Override
            public boolean readFirst(EventKey key) {
              return true;
            }

            @Override
            public void readAnyway(EventKey key) {
              readAnyway.add(key);
            }

            @Override
            public void readOn(EventKey key, long afterSeq) {
              readOn.add(afterSeq);
            }

            @Override
            public boolean isWanted(EventKey key) {
              return wanted;
            }

            @Override
            public void forget(EventKey key) {}

            @Override
            public void readAt(EventKey key, Instant at) {}

            @Override
            public void dropped(KeyedDelivery delivery) {}
          });

  private KeyedDelivery event(long seq, int size) {
    OutboxEvent row =
        OutboxEvent.builder("e" + seq, "T")
            .orderingKey(KEY.name())
            .payloadJson("\"" + "x".repeat(size) + "\"")
            .availableAt(clock.instant())
            .createdAt(clock.instant())
            .seq(seq)
            .build();
    return new KeyedDelivery(row, KEY, new Lane(KEY.lane(), 1), EventEnvelope.fromRow(row), null);
  }

  /**
   * In between it would be asked for by nobody: taken as part of the read, and not chosen for it.
   */
  @Test
  void nothingIsCommittedBetweenTheStartOfAReadAndTheChoiceOfItsKeys() throws Exception {
    Thread committing = new Thread(() -> queues.intake().committed(KEY));

    AtomicReference<Thread.State> state = new AtomicReference<>();
    queues
        .intake()
        .readStarted(
            () -> {
              committing.start();
              await()
                  .atMost(Duration.ofMinutes(1))
                  .until(committing::getState, KeyQueuesTest::waitsOrHasEnded);
              state.set(committing.getState());
              return Map.of();
            });

    assertThat(state).hasValue(Thread.State.WAITING);
    committing.join(TimeUnit.MINUTES.toMillis(1));
    assertThat(committing.isAlive()).isFalse();
  }

  private static boolean waitsOrHasEnded(Thread.State state) {
    return state == Thread.State.WAITING || state == Thread.State.TERMINATED;
  }

  /** Else one that was committed before it, and is still in the table, could come after it. */
  @Test
  void anEventFromMemoryIsNotTakenWhileItsKeyMayBeRead() {
    assertThat(queues.intake().offerAlone(event(0, 1), 0, () -> true)).isTrue();
    assertThat(queues.intake().offerAlone(event(0, 1), 0, () -> true))
        .as("one of its key is here")
        .isFalse();
    KeyedDelivery first = queues.poll();
    assertThat(queues.intake().offerAlone(event(0, 1), 0, () -> true))
        .as("one of its key is running")
        .isFalse();
    queues.putBack(first, clock.instant());

    wanted = true;
    assertThat(queues.intake().offerAlone(event(0, 1), 0, () -> true))
        .as("its key is wanted")
        .isFalse();
    wanted = false;
    queues.intake().readStarted(() -> Map.of(KEY, 0L));
    assertThat(queues.intake().offerAlone(event(0, 1), 0, () -> true))
        .as("its key is being read")
        .isFalse();
    queues.intake().wasRead(KEY, false, 2);
    assertThat(queues.intake().offerAlone(event(0, 1), 1, () -> true))
        .as("a key was blocked meanwhile")
        .isFalse();
    assertThat(queues.intake().offerAlone(event(0, 20_000), 0, () -> true))
        .as("one always finds room")
        .isTrue();
    queues.stop();
    assertThat(queues.intake().offerAlone(event(0, 1), 0, () -> true)).isFalse();
  }

  @Test
  void theKeyOfAnEventFromMemoryIsReadFromTheBeginningWhenMoreIsCommitted() {
    queues.intake().offerAlone(event(0, 1), 0, () -> true);
    queues.poll();
    assertThat(readOn).isEmpty();
    queues.intake().committed(KEY);
    assertThat(readOn).containsExactly(0L);
  }

  /** Parked or not: what it was wanted for may not be what it is parked for. */
  @Test
  void R11_aKeyThatAReadDidNotComeToIsReadNextTimeWhateverItIsParkedFor() {
    queues.intake().readStarted();
    queues.intake().wasNotRead(KEY, 0);

    assertThat(readAnyway).containsExactly(KEY);
  }

  @Test
  void whatIsCommittedBetweenTheOfferAndTheEndOfAReadIsReadAtOnce() {
    queues.intake().readStarted();
    queues.intake().offer(event(1, 1), null);
    queues.intake().committed(KEY); // e2, which that read did not see
    queues.intake().wasRead(KEY, false, 2);

    assertThat(readOn).containsExactly(1L);
  }

  @Test
  void aReadThatNobodyAskedForDoesNotEndTheReadingOfAKey() {
    queues.intake().readStarted();
    queues.intake().offer(event(1, 1), null);
    queues.intake().offer(event(2, 1), null);
    queues.intake().wasRead(KEY, true, 2);
    assertThat(readOn).isEmpty();

    queues.intake().readStarted(); // a scan, of which a row was finished while it was read
    queues.intake().wasRead(KEY, false, 2);
    queues.poll();

    assertThat(readOn).containsExactly(2L);
  }

  @Test
  void behindTheEventThatBlocksAKeyNothingIsReadBeforeThoseThatWaitBeforeIt() {
    queues.intake().readStarted();
    assertThat(queues.intake().offer(event(40, 1), "e40")).isEqualTo(Offer.ACCEPTED);
    queues.intake().wasRead(KEY, false, 2);
    queues.intake().committed(KEY);

    assertThat(readOn).containsExactly(0L);
  }

  @Test
  void whoFoundNoRoomWaitsUntilThereIsMore() throws Exception {
    queues.intake().readStarted();
    assertThat(queues.intake().offer(event(1, 5_000), null)).isEqualTo(Offer.ACCEPTED);
    assertThat(queues.intake().offer(event(2, 5_000), null)).isEqualTo(Offer.FULL);

    assertThat(queues.intake().awaitRoom(0)).isZero();

    queues.poll();
    assertThat(queues.intake().awaitRoom(0)).isPositive();
  }

  @Test
  void R1_anAnswerThatDidNotReachTheRecorderDoesNotHoldUpItsKey() {
    queues.intake().readStarted();
    queues.intake().offer(event(1, 1), null);
    KeyedDelivery failed = queues.poll();
    queues.answered(failed);
    queues.putBack(failed, clock.instant());

    queues.intake().readStarted();
    queues.intake().offer(event(1, 1), null);
    KeyedDelivery again = queues.poll();
    queues.answered(again);

    assertThat(queues.writable(List.of(again))).containsExactly(again);
  }

  @Test
  void aKeyThatWaitsForItsReadIsNotForgottenAmongTooMany() {
    WantedKeys wanted = new WantedKeys(new EngineClock(clock), new HeldEvents());
    for (int i = 0; i < 20_000; i++) {
      wanted.readFirst(EventKey.named("other-" + i));
    }
    wanted.readOn(KEY, 7);

    assertThat(wanted.take(Integer.MAX_VALUE)).containsEntry(KEY, 7L);
  }

  @Test
  void theFeederDoesNotSpinWhileNothingCanBeRead() throws Exception {
    AtomicInteger steps = new AtomicInteger();
    WantedKeys wanted = new WantedKeys(new EngineClock(clock), new HeldEvents());
    KeyFeeder feeder = feeder(wanted, steps::incrementAndGet);
    wanted.readFirst(KEY);
    feeder.start();
    await().until(() -> steps.get() > 0);
    await().during(Duration.ofMillis(300)).until(() -> steps.get() <= 100);
    feeder.close(TimeUnit.SECONDS.toNanos(5));
  }

  /** Without lanes: what it asks them for, it asks them for at a time. */
  private KeyFeeder feeder(WantedKeys wanted, LongSupplier time) {
    OutboxStore store =
        (OutboxStore)
            Proxy.newProxyInstance(
                OutboxStore.class.getClassLoader(),
                new Class<?>[] {OutboxStore.class},
                (proxy, method, args) -> {
                  throw new UnsupportedOperationException(method.getName());
                });
    StoreSession session = new StoreSession(new FakeDatabase(), store);
    EngineClock engineClock = new EngineClock(clock);
    HaltedRoutes halted =
        new HaltedRoutes(
            new PausedRoutes(List.of(), (begun, ended) -> {}, () -> true),
            List::of,
            Set::of,
            Set::of);
    LaneReader reader = new LaneReader(session, null, engineClock, halted, 10);
    StoredBlocks blocks = new StoredBlocks(session, null, MetricsExporter.NOOP, false);
    KeyHandover handover =
        new KeyHandover(
            reader, blocks, engineClock, new HeldEvents(), queues.intake(), wanted, halted);
    KeyScan scan =
        new KeyScan(
            reader,
            handover,
            halted,
            new BacklogReport(session, MetricsExporter.NOOP),
            new LagReport(session, engineClock, MetricsExporter.NOOP),
            () -> 0,
            1);
    OwnedLanes lanes = new OwnedLanes("n", time, Duration.ofDays(1), Duration.ZERO, Duration.ZERO);
    return new KeyFeeder(lanes, wanted, queues.intake(), reader, handover, scan, () -> true);
  }
}
