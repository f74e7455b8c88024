package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.subscribe.Backfill;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.operate.OutboxOperator;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import io.outbox.subscription.Subscriptions;
import io.outbox.testdb.TestDatabase;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The stored subscriptions decide which events get copies, whatever a node subscribes to. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class StoredSubscriptionTest {

  private static final EventRoute ROUTE = new EventRoute("Order", "OrderPlaced");
  private static final String MAIL = "send-mail";
  private static final String KAFKA = "kafka";
  private static final String WEBHOOK = "webhook";

  private final Deliveries mail = new Deliveries();
  private final Deliveries kafka = new Deliveries();
  private final Deliveries webhook = new Deliveries();

  private DefaultListenerRegistry mailAndKafka() {
    return new DefaultListenerRegistry()
        .subscribe(ROUTE.aggregateType(), ROUTE.eventType(), MAIL, mail)
        .subscribe(ROUTE.aggregateType(), ROUTE.eventType(), KAFKA, kafka);
  }

  private DefaultListenerRegistry all() {
    return mailAndKafka().subscribe(ROUTE.aggregateType(), ROUTE.eventType(), WEBHOOK, webhook);
  }

  private static EventEnvelope order(int n) {
    return EventEnvelope.builder(ROUTE.eventType())
        .aggregateType(ROUTE.aggregateType())
        .aggregateId("order-" + n)
        .payloadJson("{}")
        .build();
  }

  private static List<EventEnvelope> orders(int count) {
    return IntStream.range(0, count).mapToObj(StoredSubscriptionTest::order).toList();
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

  /** As another node does. */
  private static void store(Scenario scenario, String name) {
    new StoreSession(scenario.connections, scenario.store)
        .inTransaction(
            conn ->
                scenario.store.subscriptions().orElseThrow().add(conn, ROUTE, name, Instant.now()));
  }

  @EachDatabase
  void nodesThatSubscribeToNothingExpandEventsToo(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Deliveries others = new Deliveries();
      List<ListenerRegistry> registries =
          List.of(
              all(),
              new DefaultListenerRegistry().registerDefault(others),
              new DefaultListenerRegistry()
                  .register(ROUTE.aggregateType(), ROUTE.eventType(), others),
              (aggregateType, eventType) -> others); // takes everything, copies included
      List<Outbox> nodes = new ArrayList<>();
      for (ListenerRegistry registry : registries) {
        nodes.add(
            scenario.start(
                scenario
                    .multiNode(Duration.ofMinutes(1))
                    .intervalMs(50)
                    .listenerRegistry(registry)));
      }
      nodes.forEach(node -> scenario.write(node.writer(), orders(10)));

      scenario.awaitAllDone(160);
      assertThat(others.count()).isZero();
      for (Deliveries listener : List.of(mail, kafka, webhook)) {
        assertThat(listener.count()).isEqualTo(40);
        assertThat(listener.repeated()).isEmpty();
      }
    }
  }

  @Test
  void inOrderNothingPassesAnEventWhoseLastSubscriptionEndedOnTheWay() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Deliveries others = new Deliveries();
      store(scenario, MAIL);
      Outbox outbox =
          scenario.start(scenario.ordered().listenerRegistry((aggregateType, eventType) -> others));
      String first = scenario.write(outbox.writer(), order(0));
      scenario.awaitStatus(first, EventStatus.DONE); // it has a copy

      // The node reads every few seconds that there are none, and first of all while it copies.
      subscriptions(scenario).end(ROUTE, MAIL, "over");
      List<String> ids = scenario.write(outbox.writer(), orders(20));

      await().until(() -> others.count() >= 20);
      assertThat(others.ids()).isEqualTo(ids);
    }
  }

  @EachDatabase
  void aRunningNodeLearnsOfSubscriptionsAndOfTheirEnd(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Deliveries others = new Deliveries();
      Outbox old =
          scenario.start(
              scenario
                  .singleNode()
                  .intervalMs(100)
                  .listenerRegistry((aggregateType, eventType) -> others));
      scenario.write(old.writer(), orders(3));
      await().until(() -> others.count() == 3);

      store(scenario, MAIL);
      store(scenario, KAFKA);
      await()
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                scenario.write(old.writer(), orders(1));
                return !scenario
                    .query(
                        "SELECT event_id FROM outbox_event WHERE aggregate_type = ?",
                        copyType(MAIL))
                    .isEmpty();
              });
      int before = others.count();
      Subscriptions subscriptions = subscriptions(scenario);
      subscriptions.end(ROUTE, MAIL, "over");
      subscriptions.end(ROUTE, KAFKA, "over");
      await().until(() -> scenario.count(EventStatus.NEW) == 0);
      assertThat(others.ids()).noneMatch(id -> id.contains("~"));

      scenario.write(old.writer(), orders(3));
      await().until(() -> others.count() >= before + 3);
    }
  }

  @EachDatabase
  void R19_anExpansionIsNoCallOfAListener(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      AtomicInteger tries = new AtomicInteger();
      Tap<OutboxStore> store =
          scenario
              .storeTap()
              .on(
                  "insertAll",
                  call -> {
                    if (tries.incrementAndGet() < 3) {
                      throw new IllegalStateException(new SQLTransientConnectionException("away"));
                    }
                    LockSupport.parkNanos(Duration.ofMillis(300).toNanos()); // a slow database
                    return call.proceed();
                  });
      scenario.write(scenario.coldWriter(), order(1));
      scenario.start(
          scenario
              .singleNode()
              .outboxStore(store.proxy())
              .intervalMs(100)
              .listenerTimeout(Duration.ofMillis(50))
              .maxAttempts(1)
              .maxAge(Duration.ofMillis(1))
              .listenerRegistry(all()));

      scenario.awaitAllDone(4);
      assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE attempts > 0")).isEmpty();
    }
  }

  /** The subscription that is stored after events were delivered to the others. */
  private Subscription webhookAfter(Scenario scenario, int events) {
    Outbox before =
        scenario.start(scenario.singleNode().intervalMs(100).listenerRegistry(mailAndKafka()));
    for (int n = 0; n < events; n++) {
      scenario.write(before.writer(), order(n));
    }
    scenario.awaitAllDone(3 * events);
    before.close();
    scenario.start(scenario.singleNode().listenerRegistry(all())).close(); // stores it
    return subscriptions(scenario).list().stream()
        .filter(one -> one.name().equals(WEBHOOK))
        .findFirst()
        .orElseThrow();
  }

  @EachDatabase
  void olderEventsComeInOrderHoweverManyThereAreAndAreAudited(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Subscription to = webhookAfter(scenario, 10);
      Instant from = Instant.EPOCH.plus(Duration.ofDays(1));
      List<Integer> batches = new ArrayList<>();
      StoreSession session = new StoreSession(scenario.connections, scenario.store);
      SubscriptionStore store = scenario.store.subscriptions().orElseThrow();
      assertThat(
              new Backfill(session, store, operator(scenario), 3)
                  .run(to, from, (conn, count) -> batches.add(count)))
          .isEqualTo(10);
      assertThat(batches).containsExactly(3, 3, 3, 1);
      assertThat(
              scenario.query(
                  "SELECT aggregate_id FROM outbox_event WHERE aggregate_type = ? ORDER BY seq",
                  copyType(WEBHOOK)))
          .extracting(row -> row.get(0))
          .containsExactlyElementsOf(IntStream.range(0, 10).mapToObj(n -> "order-" + n).toList());

      Subscriptions subscriptions = subscriptions(scenario);
      assertThat(subscriptions.deliverFrom(ROUTE, WEBHOOK, from)).isZero();
      assertThat(subscriptions.end(ROUTE, WEBHOOK, "moved")).isEqualTo(10);
      subscriptions.resume(ROUTE, WEBHOOK);
      scenario.update("DELETE FROM outbox_event WHERE aggregate_type = ?", copyType(WEBHOOK));
      assertThat(subscriptions.deliverFrom(ROUTE, WEBHOOK, from)).isEqualTo(10);
      assertThat(operator(scenario).audit(null, 10))
          .allMatch(entry -> entry.who().equals("ada") && entry.finishedAt() != null)
          .extracting(entry -> entry.what() + " " + entry.count())
          .containsExactly("deliver 10", "resume 1", "kill 10", "end 1", "deliver 0");
      assertThat(operator(scenario).audit(null, 1).get(0).filter())
          .isEqualTo("subscription webhook of Order/OrderPlaced");
    }
  }

  @EachDatabase
  void oneThatIsEndedMeanwhileGetsNoMoreOlderEvents(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Subscription to = webhookAfter(scenario, 6);
      StoreSession session = new StoreSession(scenario.connections, scenario.store);
      SubscriptionStore store = scenario.store.subscriptions().orElseThrow();
      Backfill backfill = new Backfill(session, store, operator(scenario), 3);

      assertThatThrownBy(
              () ->
                  backfill.run(
                      to,
                      Instant.EPOCH.plus(Duration.ofDays(1)),
                      (conn, count) -> store.end(conn, ROUTE, WEBHOOK, Instant.now())))
          .hasMessageContaining("was ended");

      assertThat(
              scenario.query(
                  "SELECT event_id FROM outbox_event WHERE aggregate_type = ?", copyType(WEBHOOK)))
          .hasSize(3);
    }
  }
}
