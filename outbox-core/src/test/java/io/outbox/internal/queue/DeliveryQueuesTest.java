package io.outbox.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.fakes.Events;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeliveryQueuesTest {

  private static final long MUCH = 1L << 40;
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long EMPTY_EVENT = Delivery.bytesOf(Events.eventOfSize("x", 0));

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void endThreads() {
    threads.shutdownNow();
  }

  private static Delivery delivery(String id) {
    return Delivery.ofCommitted(Events.event(id), null);
  }

  private static Delivery delivery(String id, int payloadBytes) {
    return Delivery.ofCommitted(Events.eventOfSize(id, payloadBytes), null);
  }

  private static String ids(DeliveryQueues queues, int count) throws InterruptedException {
    StringBuilder ids = new StringBuilder();
    for (int i = 0; i < count; i++) {
      ids.append(queues.take().eventId().charAt(0));
    }
    return ids.toString();
  }

  // ---- bounds

  @Test
  void R13_eachQueueTakesNoMoreThanItsCapacity() {
    DeliveryQueues queues = new DeliveryQueues(2, 3, MUCH);

    assertThat(queues.offerHot(delivery("h1"))).isTrue();
    assertThat(queues.offerHot(delivery("h2"))).isTrue();
    assertThat(queues.offerHot(delivery("h3"))).isFalse();
    assertThat(queues.coldRemaining()).isEqualTo(3);
    for (int i = 0; i < 3; i++) {
      assertThat(queues.offerCold(delivery("c" + i))).isTrue();
    }
    assertThat(queues.offerCold(delivery("c3"))).isFalse();
    assertThat(queues.hotDepth()).isEqualTo(2);
    assertThat(queues.coldDepth()).isEqualTo(3);
    assertThat(queues.coldRemaining()).isZero();
  }

  @Test
  void whatAWorkerHadBeforeComesFirstWithoutTakingRoom() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(1, 1, MUCH);
    queues.offerHot(delivery("hot"));
    queues.offerCold(delivery("cold"));
    queues.again(delivery("again"));
    queues.again(delivery("more"));

    assertThat(queues.remove(delivery -> delivery.eventId().equals("more"))).hasSize(1);
    assertThat(queues.take().eventId()).isEqualTo("again");
    assertThat(queues.take().eventId()).isEqualTo("hot");
    queues.stop();
    queues.again(delivery("late"));
    assertThat(queues.take().eventId()).isEqualTo("late");
    queues.again(delivery("later"));
    assertThat(queues.drain()).extracting(Delivery::eventId).containsExactly("cold", "later");
    assertThat(queues.take()).isNull();
  }

  @Test
  void aTakenEventMakesRoom() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(1, 1, MUCH);
    queues.offerHot(delivery("h1"));
    queues.take();

    assertThat(queues.offerHot(delivery("h2"))).isTrue();
  }

  @Test
  void R13_theBytesOfBothQueuesTogetherAreBounded() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(10, 10, 3 * EMPTY_EVENT);
    assertThat(queues.offerHot(delivery("h", 0))).isTrue();
    assertThat(queues.offerCold(delivery("c", 0))).isTrue();

    assertThat(queues.offerHot(delivery("h", 1 + (int) EMPTY_EVENT))).isFalse();
    assertThat(queues.offerCold(delivery("c", 1 + (int) EMPTY_EVENT))).isFalse();
    assertThat(queues.offerCold(delivery("c", 0))).isTrue();
    assertThat(queues.coldRemaining()).as("no byte is left").isZero();
    assertThat(queues.offerHot(delivery("h", 0))).isFalse();

    queues.take();
    assertThat(queues.offerHot(delivery("h", 0))).isTrue();
  }

  @Test
  void R13_anEventLargerThanTheBoundFitsAlone() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(10, 10, 1);

    assertThat(queues.coldRemaining()).isEqualTo(10);
    assertThat(queues.offerCold(delivery("c1", 5_000))).isTrue();
    assertThat(queues.offerCold(delivery("c2", 0))).isFalse();
    assertThat(queues.coldRemaining()).isZero();
    assertThat(queues.offerHot(delivery("h1", 5_000))).as("each side has its own").isTrue();
    assertThat(queues.offerHot(delivery("h2", 0))).isFalse();
    assertThat(queues.take().eventId()).isEqualTo("h1");
    assertThat(queues.take().eventId()).isEqualTo("c1");
    assertThat(queues.offerCold(delivery("c2", 5_000))).isTrue();
  }

  // ---- reservations

  @Test
  void aReservationKeepsItsPlaceFromOthers() {
    DeliveryQueues queues = new DeliveryQueues(1, 1, MUCH);

    assertThat(queues.reserveHot(EMPTY_EVENT)).isTrue();
    assertThat(queues.reserveHot(EMPTY_EVENT)).isFalse();
    assertThat(queues.offerHot(delivery("h1", 0))).isFalse();
    assertThat(queues.offerReserved(delivery("h2", 0))).isTrue();
    assertThat(queues.hotDepth()).isEqualTo(1);
  }

  @Test
  void aReservationKeepsItsBytesFromOthers() {
    DeliveryQueues queues = new DeliveryQueues(10, 10, EMPTY_EVENT);

    assertThat(queues.reserveHot(EMPTY_EVENT)).isTrue();
    assertThat(queues.reserveHot(EMPTY_EVENT)).isFalse();
    assertThat(queues.coldRemaining()).as("one always fits").isEqualTo(1);
    assertThat(queues.offerCold(delivery("c1", 0))).isTrue();
    assertThat(queues.offerCold(delivery("c2", 0))).isFalse();
    assertThat(queues.coldRemaining()).isZero();
    queues.cancelReservation(EMPTY_EVENT);
    assertThat(queues.reserveHot(EMPTY_EVENT)).isTrue();
  }

  @Test
  void aCancelledReservationIsForgotten() {
    DeliveryQueues queues = new DeliveryQueues(1, 1, MUCH);
    queues.reserveHot(EMPTY_EVENT);
    queues.cancelReservation(EMPTY_EVENT);

    assertThat(queues.offerHot(delivery("h", 0))).isTrue();
    assertThat(queues.offerHot(delivery("h", 0))).isFalse();
  }

  @Test
  void bytesAreBackWhenEverythingWasTaken() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(10, 10, 2 * EMPTY_EVENT);
    for (int round = 0; round < 50; round++) {
      assertThat(queues.reserveHot(EMPTY_EVENT)).isTrue();
      assertThat(queues.offerCold(delivery("c", 0))).isTrue();
      assertThat(queues.offerReserved(delivery("h", 0))).isTrue();
      queues.take();
      queues.take();
      assertThat(queues.reserveHot(2 * EMPTY_EVENT)).isTrue();
      queues.cancelReservation(2 * EMPTY_EVENT);
    }
  }

  // ---- order

  @Test
  void twoHotEventsForEachColdOneWhileThereAreBoth() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(10, 10, MUCH);
    for (int i = 0; i < 6; i++) {
      queues.offerHot(delivery("h" + i));
      queues.offerCold(delivery("c" + i));
    }

    assertThat(ids(queues, 9)).isEqualTo("hhchhchhc");
  }

  /** Three copies of each cold event are taken faster than they come. */
  @Test
  void eightCopiesForEachColdEventWhileThereAreBoth() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(30, 10, MUCH);
    for (int i = 0; i < 20; i++) {
      queues.offerHot(Delivery.ofCommitted(copy("s" + i), null));
    }
    for (int i = 0; i < 2; i++) {
      queues.offerHot(delivery("h" + i));
      queues.offerCold(delivery("c" + i));
    }

    assertThat(ids(queues, 24)).isEqualTo("ssssssssc" + "ssssssssc" + "sssshh");
  }

  private static EventEnvelope copy(String id) {
    return EventEnvelope.builder("Placed")
        .eventId(id)
        .aggregateType("Order@@mail")
        .payloadJson("{}")
        .build();
  }

  @Test
  void whateverThereIsIsTakenWhateverTheTurn() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(20, 20, MUCH);
    for (int i = 0; i < 7; i++) {
      queues.offerHot(delivery("h" + i));
    }
    assertThat(ids(queues, 7)).isEqualTo("hhhhhhh");
    for (int i = 0; i < 7; i++) {
      queues.offerCold(delivery("c" + i));
    }
    assertThat(ids(queues, 7)).isEqualTo("ccccccc");
  }

  @Test
  void eachQueueKeepsItsOrder() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(20, 20, MUCH);
    for (int i = 0; i < 10; i++) {
      queues.offerCold(delivery("c" + i));
    }
    for (int i = 0; i < 10; i++) {
      assertThat(queues.take().eventId()).isEqualTo("c" + i);
    }
  }

  // ---- waiting

  @Test
  void aWaitingWorkerIsWokenByEitherQueue() throws Exception {
    DeliveryQueues queues = new DeliveryQueues(10, 10, MUCH);
    for (int round = 0; round < 200; round++) {
      Future<Delivery> taken = threads.submit(queues::take);
      if (round % 3 == 0) {
        queues.offerHot(delivery("e" + round));
      } else if (round % 3 == 1) {
        queues.offerCold(delivery("e" + round));
      } else {
        queues.reserveHot(delivery("e" + round).bytes());
        queues.offerReserved(delivery("e" + round));
      }
      assertThat(taken.get(30, TimeUnit.SECONDS).eventId()).isEqualTo("e" + round);
    }
  }

  @Test
  void eachOfManyWaitingWorkersIsWokenForItsEvent() throws Exception {
    DeliveryQueues queues = new DeliveryQueues(10, 10, MUCH);
    List<Future<Delivery>> taken = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      taken.add(threads.submit(queues::take));
    }
    for (int i = 0; i < 4; i++) {
      queues.offerHot(delivery("h" + i));
      queues.offerCold(delivery("c" + i));
    }
    for (Future<Delivery> one : taken) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void aPollerThatWaitsForRoomIsWokenWhenTheColdQueueIsHalfEmpty() throws Exception {
    DeliveryQueues queues = new DeliveryQueues(10, 4, MUCH);
    for (int i = 0; i < 4; i++) {
      queues.offerCold(delivery("c" + i));
    }
    Future<?> waiting = waitForRoom(queues);

    queues.take();
    assertThat(waiting.isDone()).isFalse();
    queues.take();
    waiting.get(30, TimeUnit.SECONDS);
    assertThat(queues.coldRemaining()).isEqualTo(2);
  }

  @Test
  void aPollerThatWaitsForBytesIsWokenByAHotEventThatLeaves() throws Exception {
    DeliveryQueues queues = new DeliveryQueues(10, 10, 2 * EMPTY_EVENT);
    queues.offerHot(delivery("h", 0));
    queues.offerCold(delivery("c", 0));
    Future<?> waiting = waitForRoom(queues);

    assertThat(queues.take().eventId()).isEqualTo("h");
    waiting.get(30, TimeUnit.SECONDS);
  }

  @Test
  void aPollerThatWaitsForBytesIsWokenByACancelledReservation() throws Exception {
    DeliveryQueues queues = new DeliveryQueues(10, 10, 2 * EMPTY_EVENT);
    queues.reserveHot(EMPTY_EVENT);
    queues.offerCold(delivery("c", 0));
    Future<?> waiting = waitForRoom(queues);

    queues.cancelReservation(EMPTY_EVENT);
    waiting.get(30, TimeUnit.SECONDS);
  }

  @Test
  void aPollerWhoseEventWasRefusedForItsBytesWaitsUntilItFits() throws Exception {
    DeliveryQueues queues = new DeliveryQueues(10, 10, 100 * EMPTY_EVENT);
    queues.offerCold(delivery("waiting", 0));
    queues.offerHot(delivery("small", 0));
    queues.offerHot(delivery("large", 60 * (int) EMPTY_EVENT));
    assertThat(queues.offerCold(delivery("refused", 70 * (int) EMPTY_EVENT))).isFalse();
    Future<?> waiting = waitForRoom(queues);

    queues.take();
    assertThat(waiting.isDone()).as("too little is free").isFalse();
    queues.take();
    waiting.get(30, TimeUnit.SECONDS);
    assertThat(queues.offerCold(delivery("refused", 70 * (int) EMPTY_EVENT))).isTrue();
  }

  @Test
  void aPollerDoesNotWaitForEver() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(1, 1, MUCH);
    queues.offerCold(delivery("c"));

    queues.awaitColdRoom(1_000);
    assertThat(queues.coldRemaining()).isZero();
  }

  @Test
  void aPollerOfStoppedQueuesWaitsInsteadOfSpinning() throws Exception {
    DeliveryQueues queues = new DeliveryQueues(1, 1, MUCH);
    queues.stop();
    Future<?> waiting = waitForRoom(queues);

    assertThat(waiting.isDone()).isFalse();
  }

  private Future<?> waitForRoom(DeliveryQueues queues) {
    AtomicInteger started = new AtomicInteger();
    Thread[] waiter = new Thread[1];
    Future<?> waiting =
        threads.submit(
            () -> {
              waiter[0] = Thread.currentThread();
              started.set(1);
              queues.awaitColdRoom(LONG_NANOS);
              return null;
            });
    await()
        .until(
            () ->
                waiting.isDone()
                    || started.get() == 1 && waiter[0].getState() == Thread.State.TIMED_WAITING);
    return waiting;
  }

  // ---- the end

  @Test
  void R15_stoppedQueuesRefuseEverythingAndGiveOutWhatTheyHave() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(10, 10, MUCH);
    queues.offerHot(delivery("h"));
    queues.offerCold(delivery("c"));
    queues.reserveHot(EMPTY_EVENT);
    queues.stop();

    assertThat(queues.isStopped()).isTrue();
    assertThat(queues.coldRemaining()).isZero();
    assertThat(queues.reserveHot(EMPTY_EVENT)).isFalse();
    assertThat(queues.offerHot(delivery("x"))).isFalse();
    assertThat(queues.offerCold(delivery("x"))).isFalse();
    assertThat(queues.offerReserved(delivery("x", 0))).isFalse();
    assertThat(ids(queues, 2)).isEqualTo("hc");
    assertThat(queues.take()).isNull();
  }

  @Test
  void R15_stoppingEndsTheWaitOfAllWorkers() throws Exception {
    DeliveryQueues queues = new DeliveryQueues(10, 10, MUCH);
    List<Future<Delivery>> taken = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      taken.add(threads.submit(queues::take));
    }
    queues.stop();
    for (Future<Delivery> one : taken) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isNull();
    }
  }

  @Test
  void R15_drainTakesOutWhatIsLeft() throws InterruptedException {
    DeliveryQueues queues = new DeliveryQueues(10, 10, 2 * EMPTY_EVENT);
    queues.offerHot(delivery("h", 0));
    queues.offerCold(delivery("c", 0));

    assertThat(queues.drain()).extracting(Delivery::eventId).containsExactly("h", "c");
    assertThat(queues.drain()).isEmpty();
    assertThat(queues.reserveHot(2 * EMPTY_EVENT)).as("its bytes are free again").isTrue();
    queues.stop();
    assertThat(queues.take()).isNull();
  }

  // ---- all at once

  @Test
  void R1_manyProducersAndConsumersLoseNothingAndDoubleNothing() throws Exception {
    long seed = System.nanoTime();
    System.out.println("DeliveryQueuesTest seed " + seed);
    DeliveryQueues queues = new DeliveryQueues(7, 5, 9 * EMPTY_EVENT);
    int perProducer = 3_000;
    Set<String> seen = ConcurrentHashMap.newKeySet();
    AtomicInteger doubled = new AtomicInteger();
    List<Future<?>> producers = new ArrayList<>();
    List<Future<?>> consumers = new ArrayList<>();
    CountDownLatch go = new CountDownLatch(1);
    for (int p = 0; p < 4; p++) {
      int producer = p;
      producers.add(
          threads.submit(
              () -> {
                Random random = new Random(seed + producer);
                go.await();
                for (int i = 0; i < perProducer; i++) {
                  offerUntilTaken(queues, delivery(producer + "-" + i, 0), random);
                }
                return null;
              }));
    }
    for (int c = 0; c < 3; c++) {
      consumers.add(
          threads.submit(
              () -> {
                for (Delivery next = queues.take(); next != null; next = queues.take()) {
                  if (!seen.add(next.eventId())) {
                    doubled.incrementAndGet();
                  }
                }
                return null;
              }));
    }
    go.countDown();
    for (Future<?> producer : producers) {
      producer.get(30, TimeUnit.SECONDS);
    }
    queues.stop();
    for (Future<?> consumer : consumers) {
      consumer.get(30, TimeUnit.SECONDS);
    }

    assertThat(seen).hasSize(4 * perProducer);
    assertThat(doubled).hasValue(0);
  }

  private static void offerUntilTaken(DeliveryQueues queues, Delivery delivery, Random random)
      throws InterruptedException {
    while (true) {
      switch (random.nextInt(3)) {
        case 0 -> {
          if (queues.offerHot(delivery)) {
            return;
          }
        }
        case 1 -> {
          if (queues.reserveHot(delivery.bytes())) {
            if (random.nextBoolean()) {
              assertThat(queues.offerReserved(delivery)).isTrue();
              return;
            }
            queues.cancelReservation(delivery.bytes());
          }
        }
        default -> {
          if (queues.offerCold(delivery)) {
            return;
          }
          queues.awaitColdRoom(TimeUnit.MILLISECONDS.toNanos(1));
        }
      }
    }
  }

  @Test
  void R12_theColdSideGetsItsTurnWhileTheHotSideIsAtTheBoundOfBytes() throws InterruptedException {
    EventEnvelope large = Events.eventOfSize("e", 100_000);
    DeliveryQueues queues = new DeliveryQueues(1000, 1000, 10_000_000);
    while (queues.offerHot(Delivery.ofCommitted(large, null))) {
      assertThat(queues.hotDepth()).isLessThan(100);
    }

    assertThat(queues.coldRemaining()).isPositive();
    assertThat(queues.offerCold(Delivery.ofCommitted(large, null))).isTrue();
    for (int i = 0; i < 3; i++) {
      queues.take();
    }
    assertThat(queues.coldDepth()).isZero();
  }
}
