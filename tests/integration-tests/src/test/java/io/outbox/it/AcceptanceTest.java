package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.AggregateType;
import io.outbox.DefaultOutboxWriter;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventType;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.DispatcherPollerHandler;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.model.EventStatus;
import io.outbox.poller.OutboxPoller;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingMetrics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;

/** The acceptance tests of the specification's section 18, by their numbers. */
@Timeout(300)
class AcceptanceTest {

  private enum Events implements EventType {
    ORDER_PLACED
  }

  private enum Aggregates implements AggregateType {
    ORDER
  }

  @EachDatabase
  void acceptance18_1_anEventOfARolledBackTransactionIsNotThere(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      String id;
      try (JdbcTransactionManager.Transaction transaction = scenario.transactions.begin()) {
        id = outbox.writer().write(Scenario.event());
        transaction.rollback();
      }
      assertThat(scenario.status(id)).isNull();
    }
  }

  @EachDatabase
  void acceptance18_2_aCommittedEventIsDeliveredHotAndDone(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      RecordingMetrics metrics = new RecordingMetrics();
      // the first poll, at the start, is not to be quicker than the commit's callback
      Outbox outbox =
          scenario.start(scenario.singleNode().metrics(metrics).skipRecent(Duration.ofMinutes(1)));
      String id = scenario.write(outbox.writer(), Scenario.event());
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(scenario.deliveries.ids()).containsExactly(id);
      assertThat(metrics.hotEnqueued()).isEqualTo(1);
      assertThat(metrics.coldEnqueued()).isZero();
    }
  }

  @EachDatabase
  void acceptance18_3_anEventThatFindsTheHotQueueFullIsDeliveredByThePoller(TestDatabase kind)
      throws Exception {
    try (Scenario scenario = Scenario.on(kind)) {
      CountDownLatch release = new CountDownLatch(1);
      scenario.deliveries.then(
          event -> {
            release.await();
            return DispatchResult.done();
          });
      RecordingMetrics metrics = new RecordingMetrics();
      OutboxDispatcher dispatcher =
          scenario.closing(
              OutboxDispatcher.builder()
                  .connectionProvider(scenario.connections)
                  .outboxStore(scenario.store)
                  .listenerRegistry(scenario.registry)
                  .workerCount(1)
                  .hotQueueCapacity(1)
                  .metrics(metrics)
                  .build());
      OutboxWriter writer =
          new DefaultOutboxWriter(
              scenario.tx, scenario.store, new DispatcherWriterHook(dispatcher, metrics));

      String running = scenario.write(writer, Scenario.event());
      await().until(() -> scenario.deliveries.has(running));
      String queued = scenario.write(writer, Scenario.event());
      String dropped = scenario.write(writer, Scenario.event());

      assertThat(metrics.hotDropped()).isEqualTo(1);
      assertThat(scenario.status(dropped)).isEqualTo(EventStatus.NEW);
      release.countDown();
      scenario.awaitStatus(running, EventStatus.DONE);
      scenario.awaitStatus(queued, EventStatus.DONE);
      assertThat(scenario.status(dropped)).isEqualTo(EventStatus.NEW);

      OutboxPoller poller =
          scenario.closing(
              OutboxPoller.builder()
                  .connectionProvider(scenario.connections)
                  .outboxStore(scenario.store)
                  .handler(new DispatcherPollerHandler(dispatcher))
                  .build());
      poller.start();
      scenario.awaitStatus(dropped, EventStatus.DONE);
      assertThat(scenario.deliveries.ids()).containsExactly(running, queued, dropped);
    }
  }

  @EachDatabase
  void acceptance18_4_anEventThatFailsIsRetriedAndAfterMaxAttemptsDead(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      List<String> seen = new CopyOnWriteArrayList<>();
      scenario.deliveries.then(
          event -> {
            String id = event.eventId();
            seen.add(scenario.status(id) + " " + scenario.number("attempts", id));
            throw new IllegalStateException("the broker is away");
          });
      Outbox outbox =
          scenario.start(scenario.singleNode().maxAttempts(3).retryPolicy(attempts -> 20));
      String id = scenario.write(outbox.writer(), Scenario.event());

      scenario.awaitStatus(id, EventStatus.DEAD);
      assertThat(seen).containsExactly("NEW 0", "RETRY 1", "RETRY 2");
      assertThat(scenario.number("attempts", id)).isEqualTo(3);
      assertThat((String) scenario.column("last_error", id)).contains("the broker is away");
    }
  }

  @EachDatabase
  void acceptance18_5_aListenerRegisteredWithAnEnumGetsEventsOfThatEnum(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Deliveries orders = new Deliveries();
      DefaultListenerRegistry registry =
          new DefaultListenerRegistry().register(Events.ORDER_PLACED, orders);
      Outbox outbox = scenario.start(scenario.singleNode().listenerRegistry(registry));
      String id = scenario.write(outbox.writer(), EventEnvelope.ofJson(Events.ORDER_PLACED, "{}"));
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(orders.ids()).containsExactly(id);
      assertThat(orders.events().get(0).eventType()).isEqualTo("ORDER_PLACED");
    }
  }

  @EachDatabase
  void acceptance18_6_theAggregateTypeOfAnEnumIsItsName(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Deliveries orders = new Deliveries();
      DefaultListenerRegistry registry =
          new DefaultListenerRegistry().register(Aggregates.ORDER, Events.ORDER_PLACED, orders);
      scenario.start(scenario.singleNode().listenerRegistry(registry).intervalMs(50));
      EventEnvelope event =
          EventEnvelope.builder(Events.ORDER_PLACED)
              .aggregateType(Aggregates.ORDER)
              .aggregateId("42")
              .payloadJson("{}")
              .build();
      assertThat(event.aggregateType()).isEqualTo("ORDER");

      // without the hot path, so that what is delivered was read from the table
      String id = scenario.write(scenario.coldWriter(), event);
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(scenario.column("aggregate_type", id)).isEqualTo("ORDER");
      assertThat(orders.events()).extracting(EventEnvelope::aggregateType).containsExactly("ORDER");
    }
  }
}
