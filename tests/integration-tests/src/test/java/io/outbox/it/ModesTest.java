package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.RetryAfterException;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.purge.MySqlAgeBasedPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.jdbc.purge.PostgresAgeBasedPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventStatus;
import io.outbox.poller.OutboxPoller;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingMetrics;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each builder and option promises. */
@Timeout(300)
class ModesTest {

  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private static EventPurger purgerOf(TestDatabase kind) {
    return switch (kind) {
      case H2 -> new H2EventPurger();
      case POSTGRES -> new PostgresEventPurger();
      default -> new MySqlEventPurger();
    };
  }

  private static EventEnvelope event(Duration age) {
    return EventEnvelope.builder(Scenario.TYPE)
        .occurredAt(Instant.now().minus(age))
        .payloadJson("{}")
        .build();
  }

  // ---- ordered

  @EachDatabase
  void ordered_deliversAllInTheOrderTheyWereWrittenAndTriesEachOnce(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      RecordingMetrics metrics = new RecordingMetrics();
      ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
      scenario.deliveries.then(
          event -> {
            order.add(event.payloadJson());
            if (event.payloadJson().equals("{\"n\":70}")) {
              throw new IllegalStateException("the 70th of each hundred");
            }
            return DispatchResult.done();
          });
      Outbox outbox = scenario.start(scenario.ordered().metrics(metrics).intervalMs(50));
      List<String> written = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        List<EventEnvelope> events = Scenario.events(100);
        scenario.write(outbox.writer(), events);
        events.forEach(event -> written.add(event.payloadJson()));
      }
      await().until(scenario::counts, Map.of(EventStatus.DONE, 1980, EventStatus.DEAD, 20)::equals);
      assertThat(order).containsExactlyElementsOf(written);
      assertThat(metrics.hotEnqueued()).isZero();
      assertThat(metrics.failures()).as("tried again").isZero();
    }
  }

  // ---- writer-only and purging

  @EachDatabase
  void writerOnly_writesDeliversNothingAndPurgesByAge(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      EventPurger purger =
          switch (kind) {
            case H2 -> new H2AgeBasedPurger();
            case POSTGRES -> new PostgresAgeBasedPurger();
            default -> new MySqlAgeBasedPurger();
          };
      Duration twoHours = Duration.ofHours(2);
      scenario.write(
          scenario.coldWriter(), Stream.generate(() -> event(twoHours)).limit(5).toList());
      Outbox outbox =
          scenario.start(
              scenario
                  .wire(Outbox.writerOnly())
                  .purger(purger)
                  .purgeRetention(Duration.ofHours(1))
                  .purgeBatchSize(2));
      String young = scenario.write(outbox.writer(), Scenario.event());
      await().until(() -> scenario.counts().equals(Map.of(EventStatus.NEW, 1)));
      assertThat(scenario.status(young)).isEqualTo(EventStatus.NEW);
      assertThat(scenario.deliveries.ids()).isEmpty();
    }
  }

  @EachDatabase
  void purge_everyDeliveringOutboxPurgesWhatIsFinished(TestDatabase kind) {
    EventPurger purger = purgerOf(kind);
    try (Scenario scenario = Scenario.on(kind)) {
      for (Outbox.DispatchingBuilder<?> builder :
          List.of(scenario.singleNode(), scenario.multiNode(TIMEOUT), scenario.ordered())) {
        String old = scenario.write(scenario.coldWriter(), event(Duration.ofHours(2)));
        scenario.update("UPDATE outbox_event SET status = 1, done_at = created_at");
        String waiting = scenario.write(scenario.coldWriter(), event(Duration.ofHours(2)));
        try (Outbox outbox = builder.purger(purger).purgeRetention(Duration.ofHours(1)).build()) {
          await().until(() -> scenario.status(old) == null);
          scenario.awaitStatus(waiting, EventStatus.DONE);
        }
        scenario.update("DELETE FROM outbox_event");
      }
      assertThat(scenario.deliveries.count()).isEqualTo(3);
    }
  }

  // ---- stores, pools and handlers of the user's own

  @EachDatabase
  void specOnlyStore_deliversEverythingAtLeastOnceOnManyNodes(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.deliveries.then(
          event -> {
            if (scenario.deliveries.countOf(event.eventId()) == 1) {
              throw new RetryAfterException(Duration.ofMillis(1));
            }
            return DispatchResult.done();
          });
      OutboxStore store = new SpecOnlyStore(scenario.store);
      Outbox first = scenario.start(scenario.multiNode(TIMEOUT).outboxStore(store).intervalMs(20));
      scenario.start(scenario.multiNode(TIMEOUT).outboxStore(store).intervalMs(20));
      List<String> ids = new ArrayList<>(scenario.write(first.writer(), Scenario.events(100)));
      ids.addAll(scenario.write(scenario.coldWriter(), Scenario.events(100)));
      scenario.awaitAllDone(200);
      assertThat(scenario.deliveries.ids()).containsAll(ids);
    }
  }

  @Test
  void specOnlyStore_deliversEachEventOnceOnOneNode() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      OutboxStore store = new SpecOnlyStore(scenario.store);
      Outbox outbox = scenario.start(scenario.singleNode().outboxStore(store).intervalMs(5));
      scenario.write(outbox.writer(), Scenario.events(100));
      scenario.write(scenario.coldWriter(), Scenario.events(100));
      scenario.awaitAllDone(200);
      outbox.close();
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }

  @EachDatabase
  void autoCommitOff_whatIsDoneOnConnectionsOfSuchAPoolIsCommitted(TestDatabase kind)
      throws Exception {
    try (Scenario scenario = Scenario.on(kind);
        HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(scenario.database.jdbcUrl());
      pool.setUsername(scenario.database.user());
      pool.setPassword(scenario.database.password());
      pool.setAutoCommit(false);
      pool.setMaximumPoolSize(8);
      ConnectionProvider connections = new DataSourceConnectionProvider(pool);
      ThreadLocalTxContext tx = new ThreadLocalTxContext();
      JdbcTransactionManager transactions = new JdbcTransactionManager(connections, tx);
      scenario.deliveries.then(
          event -> {
            if (scenario.deliveries.countOf(event.eventId()) == 1) {
              throw new RetryAfterException(Duration.ofMillis(1));
            }
            return DispatchResult.done();
          });
      for (Outbox.DispatchingBuilder<?> builder :
          List.of(scenario.singleNode(), scenario.multiNode(TIMEOUT), scenario.ordered())) {
        EventStatus last =
            builder instanceof Outbox.OrderedBuilder ? EventStatus.DEAD : EventStatus.DONE;
        String old = scenario.write(scenario.coldWriter(), event(Duration.ofHours(2)));
        scenario.update("UPDATE outbox_event SET status = 1, done_at = created_at");
        try (Outbox outbox =
            builder
                .connectionProvider(connections)
                .txContext(tx)
                .purger(purgerOf(kind))
                .purgeRetention(Duration.ofHours(1))
                .intervalMs(20)
                .build()) {
          transactions.run(transaction -> outbox.writer().writeAll(Scenario.events(5)));
          scenario.write(scenario.coldWriter(), Scenario.events(5));
          await().until(scenario::counts, Map.of(last, 10)::equals);
          assertThat(scenario.status(old)).as("purged").isNull();
        }
        scenario.update("DELETE FROM outbox_event");
        scenario.deliveries.clear();
      }
      try (Connection conn = pool.getConnection()) {
        assertThat(conn.getAutoCommit()).isFalse();
      }
    }
  }

  @EachDatabase
  void customHandler_keepsWhatItTookAndLeavesWhatItRefused(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      List<String> ids = scenario.write(scenario.coldWriter(), Scenario.events(10));
      List<String> handled = new CopyOnWriteArrayList<>();
      OutboxPoller poller =
          scenario.closing(
              OutboxPoller.builder()
                  .connectionProvider(scenario.connections)
                  .outboxStore(scenario.store)
                  .handler((event, attempts) -> handled.size() < 3 && handled.add(event.eventId()))
                  .batchSize(5)
                  .claimLocking("mine", TIMEOUT)
                  .build());
      poller.poll();
      assertThat(handled).containsExactlyElementsOf(ids.subList(0, 3));
      assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE locked_by LIKE 'mine%'"))
          .extracting(row -> row.get(0))
          .containsExactlyInAnyOrderElementsOf(ids.subList(0, 3));
    }
  }

  @Test
  void customHandler_getsOneBatchPerInterval() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.write(scenario.coldWriter(), Scenario.events(6));
      List<Long> handledNanos = new CopyOnWriteArrayList<>();
      OutboxPoller poller =
          scenario.closing(
              OutboxPoller.builder()
                  .connectionProvider(scenario.connections)
                  .outboxStore(scenario.store)
                  .handler((event, attempts) -> handledNanos.add(System.nanoTime()))
                  .batchSize(2)
                  .intervalMs(200)
                  .claimLocking("mine", TIMEOUT)
                  .build());
      poller.start();
      await().until(() -> handledNanos.size() == 6);
      for (int batch = 1; batch < 3; batch++) {
        long pause = handledNanos.get(2 * batch) - handledNanos.get(2 * batch - 1);
        assertThat(Duration.ofNanos(pause)).isGreaterThan(Duration.ofMillis(150));
      }
    }
  }

  /** What another program, which knows only the specified columns, may insert. */
  @EachDatabase
  void plainSql_aRowWithOnlyTheSpecifiedColumnsIsDeliveredLikeAnyOther(TestDatabase kind) {
    boolean mySql = kind == TestDatabase.MARIADB || kind == TestDatabase.MYSQL;
    String now = mySql ? "UTC_TIMESTAMP(6)" : "CURRENT_TIMESTAMP";
    String all =
        """
        INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, tenant_id,
          payload, headers, status, attempts, available_at, created_at)
        VALUES (?, 'Foreign', 'Order', '42', 'tenant', '{"a":  1}', '{"h":"v"}', 0, 0, %s, %s)
        """
            .formatted(now, now);
    String few =
        """
        INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at)
        VALUES (?, 'Foreign', '{"a":  1}', 0, %s, %s)
        """
            .formatted(now, now);
    try (Scenario scenario = Scenario.on(kind)) {
      for (Outbox.DispatchingBuilder<?> builder :
          List.of(scenario.singleNode(), scenario.multiNode(TIMEOUT), scenario.ordered())) {
        scenario.update(all, "all");
        scenario.update(few, "few");
        try (Outbox outbox = builder.intervalMs(20).build()) {
          scenario.awaitAllDone(2);
        }
        assertThat(scenario.deliveries.events())
            .extracting(
                EventEnvelope::eventId,
                EventEnvelope::aggregateType,
                EventEnvelope::aggregateId,
                EventEnvelope::tenantId,
                EventEnvelope::headers,
                EventEnvelope::payloadJson)
            .containsExactlyInAnyOrder(
                tuple("all", "Order", "42", "tenant", Map.of("h", "v"), "{\"a\":  1}"),
                tuple("few", "__GLOBAL__", null, null, Map.of(), "{\"a\":  1}"));
        scenario.update("DELETE FROM outbox_event");
        scenario.deliveries.clear();
      }
    }
  }

  // ---- listeners

  @Test
  void onDead_isCalledAfterTheRowIsDeadAndMayThrow() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.deliveries.then(event -> DispatchResult.dead("because"));
      List<String> calls = new CopyOnWriteArrayList<>();
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .onDead(
                      (event, reason) -> {
                        calls.add(scenario.status(event.eventId()) + " " + reason);
                        throw new LinkageError("of the hook");
                      }));
      scenario.write(outbox.writer(), Scenario.events(2));
      await().until(() -> calls.size() == 2);
      assertThat(calls).containsOnly("DEAD because");
    }
  }

  @Test
  void registerDefault_takesWhatNoExactRegistrationTakes() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Deliveries exact = new Deliveries();
      Deliveries ofOrders = new Deliveries();
      Deliveries rest = new Deliveries();
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .listenerRegistry(
                      new DefaultListenerRegistry()
                          .register("Order", "Placed", exact)
                          .registerDefault("Order", ofOrders)
                          .registerDefault(rest)));
      String placed = scenario.write(outbox.writer(), ofType("Order", "Placed"));
      String paid = scenario.write(outbox.writer(), ofType("Order", "Paid"));
      String other = scenario.write(outbox.writer(), ofType("Customer", "Placed"));
      scenario.awaitAllDone(3);
      assertThat(exact.ids()).containsExactly(placed);
      assertThat(ofOrders.ids()).containsExactly(paid);
      assertThat(rest.ids()).containsExactly(other);
    }
  }

  private static EventEnvelope ofType(String aggregateType, String eventType) {
    return EventEnvelope.builder(eventType).aggregateType(aggregateType).payloadJson("{}").build();
  }

  @Test
  void unroutable_anEventWithoutAListenerIsDeadAtOnce() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .listenerRegistry(
                      new DefaultListenerRegistry().register("Known", scenario.deliveries)));
      String unknown = scenario.write(outbox.writer(), Scenario.event());
      String known = scenario.write(outbox.writer(), EventEnvelope.ofJson("Known", "{}"));
      scenario.awaitStatus(unknown, EventStatus.DEAD);
      scenario.awaitStatus(known, EventStatus.DONE);
      assertThat(scenario.number("attempts", unknown)).isZero();
      assertThat((String) scenario.column("last_error", unknown)).contains(Scenario.TYPE);
    }
  }
}
