package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.dead.DeadEventManager;
import io.outbox.jdbc.tx.JdbcTransactionManager.Savepoint;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.model.EventKey;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code Outbox.orderedByKey()} promises, on one node or two in one process. */
@Timeout(300)
class OrderedByKeyTest {

  private static final String KEY = "the key";
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration LONG_LEASE = Duration.ofMinutes(1);

  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void letListenersGo() {
    release.countDown();
  }

  private static EventEnvelope event(String key, int n) {
    return EventEnvelope.builder(Scenario.TYPE)
        .orderingKey(key)
        .payloadJson(Integer.toString(n))
        .build();
  }

  /** Numbered from 0. */
  private static List<EventEnvelope> events(String key, int count) {
    return IntStream.range(0, count).mapToObj(n -> event(key, n)).toList();
  }

  private static List<String> numbers(int count) {
    return IntStream.range(0, count).mapToObj(Integer::toString).toList();
  }

  /** What was delivered of a key, in this order. */
  private static List<String> delivered(Scenario scenario, String key) {
    return scenario.deliveries.events().stream()
        .filter(event -> EventKey.of(event).name().equals(key))
        .map(EventEnvelope::payloadJson)
        .toList();
  }

  private static boolean is(EventEnvelope event, String key, int n) {
    return key.equals(event.orderingKey()) && event.payloadJson().equals(Integer.toString(n));
  }

  /** With a tap on its store, to see it read. */
  private static LaneTap start(Scenario scenario, Outbox.OrderedByKeyBuilder builder) {
    LaneTap tap = new LaneTap(scenario.store);
    scenario.start(builder.outboxStore(tap.store()));
    return tap;
  }

  /** Waits until it has looked through all keys, from the start to the end. */
  private static void awaitScans(LaneTap tap) {
    int last = tap.lanes.calls("scan") + 3;
    await().until(() -> tap.lanes.calls("scan") > last);
  }

  // ---- order

  @EachDatabase
  void R3_eachKeyIsDeliveredInOrderOneAtATimeAndOnce(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
      Set<String> atOnce = ConcurrentHashMap.newKeySet();
      scenario.deliveries.then(
          event -> {
            AtomicInteger ofKey =
                running.computeIfAbsent(event.orderingKey(), key -> new AtomicInteger());
            if (ofKey.incrementAndGet() > 1) {
              atOnce.add(event.orderingKey());
            }
            Thread.yield();
            ofKey.decrementAndGet();
            return DispatchResult.done();
          });
      Outbox outbox = scenario.start(scenario.orderedByKey().workerCount(8).intervalMs(50));
      for (int n = 0; n < 50; n++) {
        for (int key = 0; key < 10; key++) {
          boolean hot = (n + key) % 2 == 0;
          scenario.write(hot ? outbox.writer() : scenario.coldWriter(), event("key-" + key, n));
        }
      }
      scenario.awaitAllDone(500);
      outbox.close();
      assertThat(atOnce).isEmpty();
      for (int key = 0; key < 10; key++) {
        assertThat(delivered(scenario, "key-" + key)).isEqualTo(numbers(50));
      }
    }
  }

  /** The parked key has far more events than fit into memory. */
  @EachDatabase
  void R13_aFailingEventHoldsItsKeyAndNoOther(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.deliveries.then(
          event -> {
            if (is(event, KEY, 0) && release.getCount() > 0) {
              throw new IllegalStateException("not yet");
            }
            return DispatchResult.done();
          });
      scenario.write(scenario.coldWriter(), events(KEY, 3000));
      Outbox outbox =
          scenario.start(
              scenario
                  .orderedByKey()
                  .hotQueueCapacity(10)
                  .coldQueueCapacity(10)
                  .retryPolicy(attempts -> 50)
                  .maxAttempts(1_000_000)
                  .intervalMs(50));
      await().until(() -> delivered(scenario, KEY).size() >= 2);
      for (int key = 0; key < 20; key++) {
        String other = "key-" + key;
        boolean hot = key % 2 == 0;
        scenario.write(hot ? outbox.writer() : scenario.coldWriter(), events(other, 30));
        scenario.write(outbox.writer(), event(KEY, 3000 + key));
      }
      await().until(() -> scenario.count(EventStatus.DONE) == 600);
      assertThat(delivered(scenario, KEY)).containsOnly("0");

      release.countDown();
      scenario.awaitAllDone(3620);
      List<String> all = delivered(scenario, KEY);
      int failures = all.lastIndexOf("0");
      assertThat(all.subList(failures, all.size())).isEqualTo(numbers(3020));
      assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE attempts > 0")).hasSize(1);
      for (int key = 0; key < 20; key++) {
        assertThat(delivered(scenario, "key-" + key)).isEqualTo(numbers(30));
      }
    }
  }

  /** Its transaction was open while one with a larger number was committed. */
  @EachDatabase
  void R1_anEventThatIsLateIsDeliveredThoughOthersWereBeforeIt(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox outbox = scenario.start(scenario.orderedByKey().intervalMs(50));
      try (Transaction transaction = scenario.transactions.begin()) {
        outbox.writer().write(event(KEY, 0));
        CompletableFuture.supplyAsync(() -> scenario.write(outbox.writer(), event(KEY, 1)))
            .thenAccept(id -> scenario.awaitStatus(id, EventStatus.DONE))
            .get(90, TimeUnit.SECONDS);
        transaction.commit();
      }
      scenario.awaitAllDone(2);
      assertThat(delivered(scenario, KEY)).containsExactly("1", "0");
    }
  }

  @EachDatabase
  void R2_whatIsRolledBackHoldsNothingUp(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox outbox = scenario.start(scenario.orderedByKey().intervalMs(50));
      try (Transaction transaction = scenario.transactions.begin()) {
        outbox.writer().write(event(KEY, 0));
        Savepoint savepoint = transaction.savepoint();
        outbox.writer().write(event(KEY, 1));
        transaction.rollbackTo(savepoint);
        outbox.writer().write(event(KEY, 2));
        transaction.commit();
      }
      try (Transaction transaction = scenario.transactions.begin()) {
        outbox.writer().write(event(KEY, 3));
        transaction.rollback();
      }
      scenario.write(outbox.writer(), event(KEY, 4));
      scenario.awaitAllDone(3);
      assertThat(delivered(scenario, KEY)).containsExactly("0", "2", "4");
    }
  }

  @EachDatabase
  void eventsWithoutAKeyWaitForNobody(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.deliveries.then(
          event -> {
            boolean first = event.payloadJson().equals("0");
            return first && release.getCount() > 0
                ? DispatchResult.retryAfter(Duration.ofMillis(50))
                : DispatchResult.done();
          });
      Outbox outbox = scenario.start(scenario.orderedByKey().intervalMs(50));
      scenario.write(outbox.writer(), events(KEY, 5));
      List<EventEnvelope> free =
          IntStream.range(0, 10)
              .mapToObj(n -> EventEnvelope.ofJson(Scenario.TYPE, Integer.toString(n)))
              .toList();
      scenario.write(outbox.writer(), free);
      await().until(() -> scenario.count(EventStatus.DONE) == 9);
      assertThat(scenario.status(free.get(0).eventId())).isNotEqualTo(EventStatus.DONE);
      release.countDown();
      scenario.awaitAllDone(15);
    }
  }

  @EachDatabase
  void anAggregateIsAKey(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.deliveries.then(
          event ->
              scenario.deliveries.countOf(event.eventId()) == 1
                  ? DispatchResult.retryAfter(Duration.ofMillis(5))
                  : DispatchResult.done());
      Outbox outbox = scenario.start(scenario.orderedByKey().intervalMs(50));
      scenario.write(
          outbox.writer(),
          IntStream.range(0, 5)
              .mapToObj(
                  n ->
                      EventEnvelope.builder(Scenario.TYPE)
                          .aggregateType("Order")
                          .aggregateId("42")
                          .payloadJson(Integer.toString(n))
                          .build())
              .toList());
      scenario.awaitAllDone(5);
      assertThat(delivered(scenario, "Order:42"))
          .containsExactly("0", "0", "1", "1", "2", "2", "3", "3", "4", "4");
    }
  }

  @EachDatabase
  void retryAfter_holdsTheKeyForThatLong(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Queue<Long> nanos = new ConcurrentLinkedQueue<>();
      scenario.deliveries.then(
          event -> {
            nanos.add(System.nanoTime());
            int calls = scenario.deliveries.countOf(event.eventId());
            if (is(event, KEY, 0) && calls == 1) {
              return DispatchResult.retryAfter(Duration.ofMillis(300));
            }
            if (is(event, KEY, 0) && calls == 2) {
              throw new RetryAfterException(Duration.ofMillis(300));
            }
            return DispatchResult.done();
          });
      Outbox outbox = scenario.start(scenario.orderedByKey().intervalMs(50));
      List<String> ids = scenario.write(outbox.writer(), events(KEY, 3));
      scenario.awaitAllDone(3);
      assertThat(delivered(scenario, KEY)).containsExactly("0", "0", "0", "1", "2");
      assertThat(scenario.number("attempts", ids.get(0))).as("only the failure").isEqualTo(1);
      List<Long> times = List.copyOf(nanos);
      for (int i = 0; i < 2; i++) {
        Duration pause = Duration.ofNanos(times.get(i + 1) - times.get(i));
        assertThat(pause).isGreaterThanOrEqualTo(Duration.ofMillis(290));
      }
    }
  }

  @EachDatabase
  void aDelayedEventHoldsItsKey(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox outbox = scenario.start(scenario.orderedByKey().intervalMs(50));
      EventEnvelope delayed =
          EventEnvelope.builder(Scenario.TYPE)
              .orderingKey(KEY)
              .payloadJson("0")
              .deliverAfter(Duration.ofSeconds(5)) // time enough for the others
              .build();
      scenario.write(outbox.writer(), delayed);
      scenario.write(outbox.writer(), event(KEY, 1));
      scenario.write(scenario.coldWriter(), event(KEY, 2));
      scenario.write(outbox.writer(), events("another", 3));
      await().until(() -> scenario.count(EventStatus.DONE) == 3);
      assertThat(delivered(scenario, KEY)).isEmpty();
      scenario.awaitAllDone(6);
      assertThat(delivered(scenario, KEY)).isEqualTo(numbers(3));
      Instant due = scenario.instant("available_at", delayed.eventId());
      assertThat(scenario.instant("done_at", delayed.eventId())).isAfterOrEqualTo(due);
    }
  }

  /** What another program, which knows only the specified columns, may insert. */
  @EachDatabase
  void plainSql_rowsWithOnlyTheSpecifiedColumnsAreDeliveredInOrder(TestDatabase kind) {
    String now = kind == TestDatabase.MARIADB ? "UTC_TIMESTAMP(6)" : "CURRENT_TIMESTAMP";
    String insert =
        """
        INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, payload,
          status, attempts, available_at, created_at)
        VALUES (?, 'Foreign', 'Order', ?, '%%s', 0, 0, %s, %s)
        """
            .formatted(now, now);
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.deliveries.then(
          event -> {
            if (scenario.deliveries.countOf(event.eventId()) == 1) {
              throw new IllegalStateException("each once");
            }
            return DispatchResult.done();
          });
      for (int n = 0; n < 20; n++) {
        for (String id : List.of("a", "ä€😀", "A")) {
          // Descending ids: only seq says in which order they came.
          scenario.update(insert.formatted(n), "%s-%d".formatted(id, 99 - n), id);
        }
      }
      scenario.start(scenario.orderedByKey().retryPolicy(attempts -> 1).intervalMs(50));
      scenario.awaitAllDone(60);
      List<String> twice = numbers(20).stream().flatMap(n -> Stream.of(n, n)).toList();
      for (String id : List.of("a", "ä€😀", "A")) {
        assertThat(delivered(scenario, "Order:" + id)).isEqualTo(twice);
      }
    }
  }

  /** The worker is free, the key is not. */
  @EachDatabase
  void async_theNextOfAKeyIsSentWhenTheOneBeforeIsAcknowledged(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Map<String, AtomicInteger> inFlight = new ConcurrentHashMap<>();
      AtomicInteger all = new AtomicInteger();
      AtomicInteger mostAtOnce = new AtomicInteger();
      Set<String> atOnce = ConcurrentHashMap.newKeySet();
      AsyncEventListener listener =
          event -> {
            String key = event.orderingKey();
            AtomicInteger ofKey = inFlight.computeIfAbsent(key, name -> new AtomicInteger());
            if (ofKey.incrementAndGet() > 1) {
              atOnce.add(key);
            }
            mostAtOnce.accumulateAndGet(all.incrementAndGet(), Math::max);
            scenario.deliveries.onEvent(event);
            boolean fails = scenario.deliveries.count() % 10 == 0;
            return CompletableFuture.supplyAsync(
                () -> {
                  all.decrementAndGet();
                  ofKey.decrementAndGet();
                  if (fails) {
                    throw new IllegalStateException("one in ten");
                  }
                  return DispatchResult.done();
                },
                CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS));
          };
      Outbox outbox =
          scenario.start(
              scenario
                  .orderedByKey()
                  .listenerRegistry(Scenario.to(listener.asEventListener()))
                  .retryPolicy(attempts -> 20)
                  .workerCount(1)
                  .intervalMs(50));
      for (int key = 0; key < 5; key++) {
        scenario.write(outbox.writer(), events("key-" + key, 20));
      }
      scenario.awaitAllDone(100);
      assertThat(atOnce).isEmpty();
      assertThat(mostAtOnce).hasValueGreaterThan(1);
      for (int key = 0; key < 5; key++) {
        List<String> order = new ArrayList<>(delivered(scenario, "key-" + key));
        assertThat(order).isSortedAccordingTo((a, b) -> Integer.parseInt(a) - Integer.parseInt(b));
        assertThat(Set.copyOf(order)).hasSize(20);
      }
    }
  }

  @EachDatabase
  void deleteOnDone_keepsTheOrder(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox outbox = scenario.start(scenario.orderedByKey().deleteOnDone(true).intervalMs(50));
      scenario.write(outbox.writer(), events(KEY, 100));
      scenario.write(scenario.coldWriter(), events("another", 100));
      await().until(() -> scenario.counts().isEmpty());
      assertThat(delivered(scenario, KEY)).isEqualTo(numbers(100));
      assertThat(delivered(scenario, "another")).isEqualTo(numbers(100));
    }
  }

  // ---- dead events

  private static void failAt(Scenario scenario, int n) {
    scenario.deliveries.then(
        event -> {
          if (is(event, KEY, n) && scenario.deliveries.countOf(event.eventId()) == 1) {
            throw new UnrecoverableException("because");
          }
          return DispatchResult.done();
        });
  }

  @EachDatabase
  void continueAfterDead_theKeyGoesOnBehindADeadEvent(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      failAt(scenario, 1);
      Outbox outbox = scenario.start(scenario.orderedByKey().intervalMs(50));
      List<String> ids = scenario.write(outbox.writer(), events(KEY, 4));
      await().until(scenario::counts, Map.of(EventStatus.DONE, 3, EventStatus.DEAD, 1)::equals);
      assertThat(scenario.status(ids.get(1))).isEqualTo(EventStatus.DEAD);
      assertThat(delivered(scenario, KEY)).isEqualTo(numbers(4));
    }
  }

  @EachDatabase
  void blockAfterDead_theReplayOfTheDeadEventLetsItsKeyGoOn(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      failAt(scenario, 1);
      LaneTap tap = start(scenario, scenario.orderedByKey().blockAfterDead().intervalMs(50));
      List<String> ids = scenario.write(scenario.coldWriter(), events(KEY, 4));
      scenario.awaitStatus(ids.get(1), EventStatus.DEAD);
      scenario.write(scenario.coldWriter(), events("another", 3));
      await().until(() -> scenario.count(EventStatus.DONE) == 4);
      awaitScans(tap);
      assertThat(delivered(scenario, KEY)).containsExactly("0", "1");

      assertThat(new DeadEventManager(scenario.connections, scenario.store).replay(ids.get(1)))
          .isTrue();
      scenario.awaitAllDone(7);
      assertThat(delivered(scenario, KEY)).containsExactly("0", "1", "1", "2", "3");
      String later = scenario.write(scenario.coldWriter(), event(KEY, 4));
      scenario.awaitStatus(later, EventStatus.DONE);
    }
  }

  /** One that waits before the dead one must not keep it from lifting the block. */
  @EachDatabase
  void blockAfterDead_alsoIfAnEarlierEventIsReplayedToo(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      failAt(scenario, 1);
      LaneTap tap = start(scenario, scenario.orderedByKey().blockAfterDead().intervalMs(50));
      List<String> ids = scenario.write(scenario.coldWriter(), events(KEY, 4));
      scenario.awaitStatus(ids.get(1), EventStatus.DEAD);
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);

      assertThat(operator.perform(new OperatorAction.Replay(), ids.get(0))).isTrue();
      awaitScans(tap);
      assertThat(operator.perform(new OperatorAction.Replay(), ids.get(1))).isTrue();

      scenario.awaitAllDone(4);
      assertThat(delivered(scenario, KEY)).containsExactly("0", "1", "1", "0", "2", "3");
    }
  }

  @EachDatabase
  void blockAfterDead_alsoIfMoreEarlierEventsAreReplayedThanAreReadAtATime(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      failAt(scenario, 40);
      LaneTap tap = start(scenario, scenario.orderedByKey().blockAfterDead().intervalMs(50));
      List<String> ids = scenario.write(scenario.coldWriter(), events(KEY, 42));
      scenario.awaitStatus(ids.get(40), EventStatus.DEAD);
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);

      assertThat(operator.perform(new OperatorAction.Replay(), ids.subList(0, 40))).isEqualTo(40);
      awaitScans(tap);
      assertThat(operator.perform(new OperatorAction.Replay(), ids.get(40))).isTrue();

      scenario.awaitAllDone(42);
      assertThat(delivered(scenario, KEY).subList(41, 83))
          .startsWith("40", "0", "1")
          .endsWith("39", "41");
    }
  }

  @EachDatabase
  void blockAfterDead_aReplayedEventThatDiesAgainStillBlocksItsKey(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.deliveries.then(
          event -> is(event, KEY, 0) ? DispatchResult.dead("because") : DispatchResult.done());
      LaneTap tap = start(scenario, scenario.orderedByKey().blockAfterDead().intervalMs(50));
      List<String> ids = scenario.write(scenario.coldWriter(), events(KEY, 3));
      scenario.awaitStatus(ids.get(0), EventStatus.DEAD);
      new DeadEventManager(scenario.connections, scenario.store).replay(ids.get(0));
      await().until(() -> delivered(scenario, KEY).size() == 2);
      scenario.awaitStatus(ids.get(0), EventStatus.DEAD);
      awaitScans(tap);
      assertThat(delivered(scenario, KEY)).containsExactly("0", "0");
    }
  }

  @EachDatabase
  void blockAfterDead_neitherAPurgeNorARestartLiftsTheBlock(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      failAt(scenario, 0);
      Outbox first = scenario.orderedByKey().blockAfterDead().intervalMs(50).build();
      List<String> ids = scenario.write(first.writer(), events(KEY, 3));
      scenario.awaitStatus(ids.get(0), EventStatus.DEAD);
      first.close();
      scenario.update("DELETE FROM outbox_event WHERE event_id = ?", ids.get(0));

      // Also for a node that would not have blocked it itself.
      LaneTap tap = start(scenario, scenario.orderedByKey().intervalMs(50));
      awaitScans(tap);
      assertThat(delivered(scenario, KEY)).containsExactly("0");

      try (Connection conn = scenario.pool.getConnection()) {
        assertThat(scenario.store.lanes().orElseThrow().unblock(conn, Set.of(EventKey.named(KEY))))
            .isEqualTo(1);
      }
      scenario.awaitAllDone(2);
      assertThat(delivered(scenario, KEY)).isEqualTo(numbers(3));
    }
  }

  // ---- nodes

  private static Map<String, Integer> owners(Scenario scenario) {
    Map<String, Integer> owners = new ConcurrentHashMap<>();
    scenario
        .query(
            "SELECT owner, COUNT(*) FROM outbox_event_lane WHERE owner IS NOT NULL GROUP BY owner")
        .forEach(
            row ->
                owners.put(
                    row.get(0).toString().replaceAll("~.*", ""), ((Number) row.get(1)).intValue()));
    return owners;
  }

  private static Outbox startNode(Scenario scenario, String name, Duration lease) {
    return scenario.start(scenario.orderedByKey().node(name).laneLease(lease).intervalMs(50));
  }

  @EachDatabase
  void R15_nodesShareTheLanesEvenlyAndAClosedOneLeavesThemToTheOther(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox first = startNode(scenario, "first", LEASE);
      await().until(() -> owners(scenario), Map.of("first", EventKey.LANES)::equals);
      Outbox second = startNode(scenario, "second", LEASE);
      await().until(() -> owners(scenario), Map.of("first", 32, "second", 32)::equals);
      int n = 0;
      for (; n < 20; n++) {
        for (int key = 0; key < 20; key++) {
          scenario.write((n % 2 == 0 ? first : second).writer(), event("key-" + key, n));
        }
      }
      first.close();
      await("before a lease ends")
          .atMost(LEASE.minusSeconds(1))
          .until(() -> owners(scenario), Map.of("second", EventKey.LANES)::equals);
      for (; n < 30; n++) {
        for (int key = 0; key < 20; key++) {
          scenario.write((n % 2 == 0 ? first : second).writer(), event("key-" + key, n));
        }
      }
      scenario.awaitAllDone(600);
      for (int key = 0; key < 20; key++) {
        assertThat(delivered(scenario, "key-" + key)).isEqualTo(numbers(30));
      }
    }
  }

  @EachDatabase
  void R15_closeIsBoundedAndKeepsOnlyTheLanesOfWhatStillRuns(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.deliveries.then(
          event -> {
            while (release.getCount() > 0) {
              try {
                release.await();
              } catch (InterruptedException e) {
                // it does not yield
              }
            }
            return DispatchResult.done();
          });
      Outbox first =
          scenario
              .orderedByKey()
              .node("first")
              .laneLease(LONG_LEASE)
              .drainTimeoutMs(200)
              .intervalMs(50)
              .build();
      scenario.write(first.writer(), events(KEY, 3));
      await().until(() -> delivered(scenario, KEY).size() == 1);
      long start = System.nanoTime();
      first.close();
      first.close();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LONG_LEASE.dividedBy(2));
      assertThat(owners(scenario)).isEqualTo(Map.of("first", 1));

      startNode(scenario, "second", LONG_LEASE);
      await().until(() -> owners(scenario), Map.of("first", 1, "second", 63)::equals);
      assertThat(delivered(scenario, KEY)).containsExactly("0");
    }
  }

  @EachDatabase
  void R15_anOutboxThatWasStoppedCanBeStartedAgain(TestDatabase kind) {
    OutboxThreads threads = new OutboxThreads();
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox outbox = startNode(scenario, "only", LONG_LEASE);
      scenario.write(outbox.writer(), event(KEY, 0));
      scenario.awaitAllDone(1);
      outbox.stop();
      assertThat(owners(scenario)).isEmpty();
      threads.awaitGone();
      scenario.write(outbox.writer(), event(KEY, 1));
      outbox.start();
      scenario.awaitAllDone(2);
      assertThat(delivered(scenario, KEY)).isEqualTo(numbers(2));
    }
  }

  /** A minute between looks: what comes in time came by the commit, or by the time it was due. */
  @EachDatabase
  void R11_aCommitWakesTheOwnerAndARetryItself(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.deliveries.then(
          event ->
              scenario.deliveries.countOf(event.eventId()) == 1 && is(event, KEY, 1)
                  ? DispatchResult.retryAfter(Duration.ofMillis(100))
                  : DispatchResult.done());
      LaneTap tap = new LaneTap(scenario.store);
      Outbox outbox =
          scenario.start(scenario.orderedByKey().outboxStore(tap.store()).intervalMs(60_000));
      await().until(() -> owners(scenario).containsValue(EventKey.LANES));
      await().until(() -> tap.lanes.calls("scan") > 0);
      for (int n = 0; n < 3; n++) {
        EventEnvelope event = event(KEY, n);
        scenario.write(outbox.writer(), event);
        await().until(() -> scenario.status(event.eventId()) == EventStatus.DONE);
      }
      scenario.write(outbox.writer(), events("another", 50));
      scenario.awaitAllDone(53);
    }
  }

  /** Deep keys want all the room that there is; the late ones are known only to the table. */
  @EachDatabase
  void keysBehindManyDeepOnesGetTheirTurn(TestDatabase kind) {
    int deep = 20;
    int depth = 200;
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      for (int key = 0; key < deep; key++) {
        scenario.write(scenario.coldWriter(), events("deep-" + key, depth));
      }
      scenario.start(
          scenario
              .orderedByKey()
              .workerCount(1)
              .hotQueueCapacity(10)
              .coldQueueCapacity(10)
              .intervalMs(20));
      await().until(() -> scenario.deliveries.count() > 5 * deep);
      List<EventEnvelope> late =
          IntStream.range(0, 5).mapToObj(key -> event("late-" + key, 0)).toList();
      scenario.write(scenario.coldWriter(), late);
      int before = scenario.deliveries.count();
      await()
          .until(() -> late.stream().allMatch(event -> scenario.deliveries.has(event.eventId())));
      List<String> order = scenario.deliveries.ids();
      int between =
          late.stream().mapToInt(event -> order.indexOf(event.eventId())).max().orElseThrow()
              - before;
      System.out.printf("%s: %d deliveries until 5 late keys had their turn%n", kind, between);
      assertThat(between).isLessThan(deep * depth / 2);
      scenario.awaitAllDone(deep * depth + 5);
    }
  }

  @EachDatabase
  void R13_queuesOfAnyCapacityDeliver(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox outbox =
          scenario.start(
              scenario
                  .orderedByKey()
                  .hotQueueCapacity(Integer.MAX_VALUE)
                  .coldQueueCapacity(Integer.MAX_VALUE)
                  .intervalMs(50));
      scenario.write(outbox.writer(), events(KEY, 10));
      scenario.write(scenario.coldWriter(), events("another", 10));
      scenario.awaitAllDone(20);
      assertThat(delivered(scenario, KEY)).isEqualTo(numbers(10));
    }
  }

  // ---- what it needs

  @Test
  void R17_aStoreWithoutLanesIsRefused() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      assertThatThrownBy(
              () -> scenario.orderedByKey().outboxStore(new SpecOnlyStore(scenario.store)).build())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("orderedByKey()")
          .hasMessageContaining("lanes");
    }
  }

  @EachDatabase
  void R17_aSchemaWithoutLanesIsRefusedAndTheMessageSaysWhatToDo(TestDatabase kind) {
    OutboxThreads threads = new OutboxThreads();
    try (Scenario scenario = Scenario.on(kind)) {
      assertThatThrownBy(() -> scenario.orderedByKey().build())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("createOrderedByKey");
      threads.awaitGone();
    }
  }
}
