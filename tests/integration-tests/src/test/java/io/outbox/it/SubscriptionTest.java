package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.Count;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.subscription.EventCopy;
import io.outbox.subscription.Subscription;
import io.outbox.subscription.SubscriptionState;
import io.outbox.subscription.Subscriptions;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One event, several listeners: each as if it were the only one. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class SubscriptionTest {

  private static final EventRoute ROUTE = new EventRoute("Order", "OrderPlaced");
  private static final String MAIL = "send-mail";
  private static final String KAFKA = "kafka";
  private static final String WEBHOOK = "webhook";

  private final Deliveries mail = new Deliveries();
  private final Deliveries kafka = new Deliveries();
  private final Deliveries webhook = new Deliveries();

  private static DefaultListenerRegistry subscribe(
      DefaultListenerRegistry registry, String name, EventListener listener) {
    return registry.subscribe(ROUTE.aggregateType(), ROUTE.eventType(), name, listener);
  }

  private DefaultListenerRegistry mailAndKafka() {
    return subscribe(subscribe(new DefaultListenerRegistry(), MAIL, mail), KAFKA, kafka);
  }

  private DefaultListenerRegistry all() {
    return subscribe(mailAndKafka(), WEBHOOK, webhook);
  }

  private static EventEnvelope.Builder order(int n) {
    return EventEnvelope.builder(ROUTE.eventType())
        .aggregateType(ROUTE.aggregateType())
        .aggregateId("order-" + n)
        .payloadJson("{\"n\":" + n + "}");
  }

  private static List<EventEnvelope> orders(int count) {
    return IntStream.range(0, count).mapToObj(n -> order(n).build()).toList();
  }

  private static String copyType(String name) {
    return ROUTE.aggregateType() + "@@" + name;
  }

  private static OutboxOperator operator(Scenario scenario) {
    return OutboxOperator.of(scenario.connections, scenario.store).as("ada");
  }

  private static Subscriptions subscriptions(Scenario scenario) {
    return Subscriptions.of(scenario.connections, scenario.store).as("ada");
  }

  /** The copies for a subscription that have this status. */
  private static int copies(Scenario scenario, String name, EventStatus status) {
    return scenario
        .query(
            "SELECT event_id FROM outbox_event WHERE aggregate_type = ? AND status = ?",
            copyType(name),
            status.code())
        .size();
  }

  private static void assertSame(EventEnvelope seen, EventEnvelope written) {
    assertThat(seen)
        .usingRecursiveComparison()
        .ignoringFields("values.payloadSize")
        .isEqualTo(written);
  }

  @EachDatabase
  void eachGetsEveryEventOnceAndAsItWasWritten(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode().intervalMs(100).listenerRegistry(all()));
      EventEnvelope plain = order(1).build();
      EventEnvelope full =
          order(2)
              .eventId(UUID.randomUUID().toString())
              .orderingKey("k".repeat(255))
              .partitionKey("p")
              .tenantId("t")
              .header("trace", "1")
              .build();
      EventEnvelope bytes =
          EventEnvelope.builder(ROUTE.eventType())
              .aggregateType(ROUTE.aggregateType())
              .orderingKey("key")
              .payloadBytes(new byte[] {1, 2, 3}, "application/x-three")
              .deliverAfter(Duration.ofMillis(50))
              .build();
      List<EventEnvelope> events = List.of(plain, full, bytes);
      scenario.write(outbox.writer(), events);

      for (Deliveries listener : List.of(mail, kafka, webhook)) {
        await().until(() -> listener.count() >= 3);
        events.forEach(
            event ->
                assertSame(
                    listener.events().stream()
                        .filter(seen -> seen.eventId().equals(event.eventId()))
                        .findFirst()
                        .orElseThrow(),
                    event));
      }
      scenario.awaitAllDone(12);
      assertThat(List.of(mail.count(), kafka.count(), webhook.count())).containsOnly(3);
    }
  }

  @EachDatabase
  void rowsOfPlainSqlAndOfOtherWritersAreCopiedToo(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.update(
          "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at,"
              + " created_at) VALUES ('by-hand', 'Plain', '{}', 0, '2026-01-01 00:00:00',"
              + " '2026-01-01 00:00:00')");
      scenario.write(scenario.coldWriter(), orders(20));
      scenario.start(
          scenario
              .multiNode(Duration.ofMinutes(1))
              .intervalMs(100)
              .listenerRegistry(
                  all().subscribe("Plain", MAIL, mail).subscribe("Plain", KAFKA, kafka)));

      scenario.awaitAllDone(1 + 2 + 20 * 4);
      assertThat(mail.countOf("by-hand")).isOne();
      assertThat(kafka.countOf("by-hand")).isOne();
      assertThat(webhook.count()).isEqualTo(20);
      assertThat(mail.repeated()).isEmpty();
      assertThat(mail.events()).extracting(EventEnvelope::aggregateType).doesNotContain("@@");
    }
  }

  @EachDatabase
  void eachFailsIsPausedAndIsReplayedAlone(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Map<String, Integer> tries = new ConcurrentHashMap<>();
      mail.then(
          event -> {
            if (tries.merge(event.eventId(), 1, Integer::sum) < 3) {
              throw new IllegalStateException("no mail server");
            }
            return DispatchResult.done();
          });
      AtomicBoolean fixed = new AtomicBoolean();
      webhook.then(
          event -> {
            if (!fixed.get()) {
              throw new UnrecoverableException("gone");
            }
            return DispatchResult.done();
          });
      Deliveries audit = new Deliveries();
      OutboxOperator operator = operator(scenario);
      operator.pause(copyType("audit"), null, "not now");
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .intervalMs(100)
                  .retryPolicy(attempts -> 1)
                  .listenerRegistry(subscribe(all(), "audit", audit)));
      scenario.write(outbox.writer(), orders(10));

      await().until(() -> copies(scenario, KAFKA, EventStatus.DONE) == 10);
      await().until(() -> copies(scenario, MAIL, EventStatus.DONE) == 10);
      await().until(() -> copies(scenario, WEBHOOK, EventStatus.DEAD) == 10);
      assertThat(copies(scenario, "audit", EventStatus.NEW)).isEqualTo(10);
      assertThat(mail.count()).isEqualTo(30);
      assertThat(audit.count()).isZero();
      assertStates(scenario);

      fixed.set(true);
      EventFilter dead =
          EventFilter.builder().status(EventStatus.DEAD).aggregateType(copyType(WEBHOOK)).build();
      assertThat(operator.perform(new OperatorAction.Replay(), dead).changed()).isEqualTo(10);
      operator.resume(copyType("audit"), null);

      scenario.awaitAllDone(50);
      assertThat(webhook.count()).isEqualTo(20);
      assertThat(audit.count()).isEqualTo(10);
      assertThat(kafka.count()).isEqualTo(10);
    }
  }

  /** Of ten events: delivered, dead or paused. */
  private static void assertStates(Scenario scenario) {
    Subscriptions subscriptions = operator(scenario).subscriptions().orElseThrow();
    Map<String, SubscriptionState> states =
        subscriptions.states().stream()
            .collect(Collectors.toMap(state -> state.subscription().name(), state -> state));
    assertThat(states.get(WEBHOOK).dead()).isEqualTo(Count.exactly(10));
    assertThat(states.get(WEBHOOK).waiting()).isEqualTo(Count.exactly(0));
    assertThat(states.get("audit").waiting()).isEqualTo(Count.exactly(10));
    assertThat(states.get("audit").lag()).isPositive();
    assertThat(states.get("audit").dead()).isEqualTo(Count.exactly(0));
    String copy =
        scenario
            .query(
                "SELECT event_id FROM outbox_event WHERE aggregate_type = ? AND aggregate_id = ?",
                copyType(WEBHOOK),
                "order-3")
            .get(0)
            .get(0)
            .toString();
    OutboxEvent row = operator(scenario).find(copy).orElseThrow();
    OutboxEvent event =
        operator(scenario).find(Subscription.originalIdOf(row).orElseThrow()).orElseThrow();
    assertThat(subscriptions.copiesOf(row)).isEmpty();
    assertThat(subscriptions.copiesOf(event))
        .hasSize(states.size())
        .filteredOn(one -> one.subscription().name().equals(WEBHOOK))
        .allSatisfy(one -> assertThat(one.row().status()).isEqualTo(EventStatus.DEAD))
        .extracting(EventCopy::eventId)
        .containsExactly(copy);
  }

  @EachDatabase
  void replayingAnEventWritesOnlyCopiesThatAreMissing(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode().intervalMs(100).listenerRegistry(all()));
      List<String> ids = scenario.write(outbox.writer(), orders(5));
      scenario.awaitAllDone(20);
      scenario.update(
          "DELETE FROM outbox_event WHERE aggregate_type = ? AND aggregate_id <> 'order-0'",
          copyType(WEBHOOK));

      operator(scenario).perform(new OperatorAction.Replay(), ids);

      await().until(() -> webhook.count() == 9);
      scenario.awaitAllDone(20);
      assertThat(mail.count()).isEqualTo(5);
      assertThat(kafka.count()).isEqualTo(5);
    }
  }

  @EachDatabase
  void orderByKeyHoldsForEachSubscription(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Map<String, Integer> tries = new ConcurrentHashMap<>();
      mail.then(
          event -> {
            int n = Integer.parseInt(event.payloadJson());
            if (n % 7 == 3 && tries.merge(event.eventId(), 1, Integer::sum) < 3) {
              throw new IllegalStateException("not yet");
            }
            return DispatchResult.done();
          });
      Outbox outbox =
          scenario.start(
              scenario
                  .orderedByKey()
                  .intervalMs(100)
                  .retryPolicy(attempts -> 5)
                  .listenerRegistry(mailAndKafka()));
      List<EventEnvelope> events = new ArrayList<>();
      for (int n = 0; n < 60; n++) {
        EventEnvelope.Builder event =
            EventEnvelope.builder(ROUTE.eventType())
                .aggregateType(ROUTE.aggregateType())
                .aggregateId("order-" + n % 4)
                .payloadJson(Integer.toString(n));
        events.add(n % 2 == 0 ? event.build() : event.orderingKey("key-" + n % 3).build());
      }
      scenario.write(outbox.writer(), events.subList(0, 30));
      scenario.write(scenario.coldWriter(), events.subList(30, 60));

      scenario.awaitAllDone(180);
      assertInOrder(mail);
      assertInOrder(kafka);
      assertThat(kafka.repeated()).isEmpty();
    }
  }

  private static void assertInOrder(Deliveries listener) {
    Map<String, List<Integer>> byKey =
        listener.events().stream()
            .collect(
                Collectors.groupingBy(
                    event ->
                        event.orderingKey() == null ? event.aggregateId() : event.orderingKey(),
                    Collectors.mapping(
                        event -> Integer.parseInt(event.payloadJson()), Collectors.toList())));
    assertThat(byKey).hasSize(5);
    byKey.forEach((key, numbers) -> assertThat(numbers).as(key).isSorted());
  }

  @EachDatabase
  void oneThatComesLaterStartsWithLaterEventsOrFromATime(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox before =
          scenario.start(scenario.singleNode().intervalMs(100).listenerRegistry(mailAndKafka()));
      scenario.write(before.writer(), orders(10));
      scenario.awaitAllDone(30);
      before.close();

      Outbox outbox = scenario.start(scenario.singleNode().intervalMs(100).listenerRegistry(all()));
      List<String> later = scenario.write(outbox.writer(), orders(5));
      scenario.awaitAllDone(50);
      assertThat(webhook.ids()).containsExactlyInAnyOrderElementsOf(later);

      Subscriptions subscriptions = subscriptions(scenario);
      assertThat(subscriptions.deliverFrom(ROUTE, WEBHOOK, Instant.EPOCH.plus(Duration.ofDays(1))))
          .isEqualTo(10);
      scenario.awaitAllDone(60);
      assertThat(webhook.count()).isEqualTo(15);
      assertThat(webhook.repeated()).isEmpty();
      assertThat(subscriptions.deliverFrom(ROUTE, WEBHOOK, Instant.EPOCH.plus(Duration.ofDays(1))))
          .isZero();
      assertThat(mail.count()).isEqualTo(15);
    }
  }

  @EachDatabase
  void oneThatIsEndedLeavesNothingPending(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      operator(scenario).pause(copyType(MAIL), null, "to be ended");
      Outbox first = scenario.start(scenario.singleNode().intervalMs(100).listenerRegistry(all()));
      scenario.write(first.writer(), orders(10));
      await().until(() -> copies(scenario, MAIL, EventStatus.NEW) == 10);
      await().until(() -> copies(scenario, WEBHOOK, EventStatus.DONE) == 10);

      Subscriptions subscriptions = subscriptions(scenario);
      assertThat(subscriptions.end(ROUTE, MAIL, "moved")).isEqualTo(10);
      assertThat(copies(scenario, MAIL, EventStatus.DEAD)).isEqualTo(10);
      scenario.write(first.writer(), orders(1));
      await().until(() -> webhook.count() == 11);
      first.close();

      operator(scenario).resume(copyType(MAIL), null);
      Outbox second = scenario.start(scenario.singleNode().intervalMs(100).listenerRegistry(all()));
      scenario.write(second.writer(), orders(1));
      await().until(() -> kafka.count() == 12);
      assertThat(subscriptions.list().stream().filter(Subscription::isActive))
          .extracting(Subscription::name)
          .containsExactly(KAFKA, WEBHOOK);
      assertThat(mail.count()).isZero();

      assertThat(subscriptions.resume(ROUTE, MAIL)).isTrue();
      assertThat(subscriptions.resume(ROUTE, MAIL)).isFalse();
      scenario.write(second.writer(), orders(1));
      await().until(() -> mail.count() == 1);
      assertThatThrownBy(() -> subscriptions.end(ROUTE, "unknown", null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no subscription 'unknown' of Order/OrderPlaced");
    }
  }

  @EachDatabase
  void R25_anOlderNodeMakesNoCopyOfANewerOneDead(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      DefaultListenerRegistry older = mailAndKafka().registerDefault(new Deliveries());
      Outbox old =
          scenario.start(
              scenario.multiNode(Duration.ofMinutes(1)).intervalMs(50).listenerRegistry(older));
      scenario.start(
          scenario.multiNode(Duration.ofMinutes(1)).intervalMs(50).listenerRegistry(all()));
      scenario.write(old.writer(), orders(30));

      scenario.awaitAllDone(120);
      assertThat(webhook.count()).isEqualTo(30);
      assertThat(mail.repeated()).isEmpty();
      assertThat(webhook.repeated()).isEmpty();
    }
  }

  @EachDatabase
  void R25_whereThereAreNoOtherNodesACopyWaitsUntilItsSubscriptionEnds(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.start(scenario.singleNode().listenerRegistry(all())).close(); // stores them
      Outbox old =
          scenario.start(scenario.singleNode().intervalMs(100).listenerRegistry(mailAndKafka()));
      scenario.write(old.writer(), orders(3));

      await().until(() -> copies(scenario, KAFKA, EventStatus.DONE) == 3);
      await()
          .until(
              () ->
                  scenario
                          .query(
                              "SELECT event_id FROM outbox_event WHERE aggregate_type = ? AND status"
                                  + " = 0 AND available_at > created_at AND attempts = 0",
                              copyType(WEBHOOK))
                          .size()
                      == 3);
      assertThat(subscriptions(scenario).end(ROUTE, WEBHOOK, null)).isEqualTo(3);
      assertThat(scenario.count(EventStatus.NEW)).isZero();
    }
  }

  @EachDatabase
  void withoutTheTableOnlySubscriptionsAreRefused(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.update("DROP TABLE outbox_event_subscription");
      assertThatThrownBy(() -> scenario.singleNode().listenerRegistry(all()).build())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("their table is missing")
          .hasMessageContaining("OutboxSchema.createSubscriptions");
      assertThat(subscriptions(scenario).list()).isEmpty();

      Outbox outbox = scenario.start(scenario.singleNode());
      String id = scenario.write(outbox.writer(), order(1).build());
      scenario.awaitStatus(id, EventStatus.DONE);
    }
  }
}
