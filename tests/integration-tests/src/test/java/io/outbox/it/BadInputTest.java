package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Named.named;

import io.outbox.DefaultOutboxWriter;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.RetryAfterException;
import io.outbox.WriterHook;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.store.MySqlOutboxStore;
import io.outbox.jdbc.store.PostgresOutboxStore;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.InMemoryOutboxStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** R17: what is wrong is refused at once, with a reason, and the rest goes on. */
@Timeout(300)
class BadInputTest {

  private static final int MAX = EventEnvelope.MAX_PAYLOAD_BYTES;

  // ---- envelopes

  /**
   * An envelope that cannot be.
   *
   * @param reason what the message has to say
   */
  private record BadEvent(String reason, Supplier<EventEnvelope> make) {}

  private static BadEvent bad(String reason, UnaryOperator<EventEnvelope.Builder> settings) {
    return new BadEvent(
        reason,
        () -> settings.apply(EventEnvelope.builder(Scenario.TYPE).payloadJson("{}")).build());
  }

  private static List<BadEvent> badEvents() {
    Instant now = Instant.now();
    return List.of(
        bad(MAX + 1 + " bytes", b -> b.payloadJson("\"" + "x".repeat(MAX - 1) + "\"")),
        // fewer characters than the limit, but not fewer bytes
        bad(MAX + 2 + " bytes", b -> b.payloadJson("\"" + "é".repeat(MAX / 2) + "\"")),
        bad("payload", b -> b.payloadJson(null)),
        bad("payload", b -> b.payloadBytes(new byte[1], "text/plain")),
        bad("payload", b -> b.payloadJson("{\"a\":}")),
        bad("payload", b -> b.payloadJson("{} {}")),
        bad("payload", b -> b.payloadJson("")),
        bad("surrogate", b -> b.payloadJson("\"\uD800\"")),
        new BadEvent("eventType", () -> EventEnvelope.ofJson((String) null, "{}")),
        new BadEvent("eventType", () -> EventEnvelope.ofJson(" \t", "{}")),
        new BadEvent("eventType", () -> EventEnvelope.ofJson("x".repeat(129), "{}")),
        bad("eventId", b -> b.eventId("x".repeat(37))),
        bad("eventId", b -> b.eventId("")),
        bad("aggregateType", b -> b.aggregateType("x".repeat(65))),
        bad("aggregateId", b -> b.aggregateId("x".repeat(129))),
        bad("aggregateId", b -> b.aggregateId("a\0b")),
        bad("tenantId", b -> b.tenantId("x".repeat(65))),
        bad("orderingKey", b -> b.orderingKey("x".repeat(256))),
        bad("partitionKey", b -> b.partitionKey("x".repeat(256))),
        bad("contentType", b -> b.payloadJson(null).payloadBytes(new byte[1], "x".repeat(129))),
        bad("header key", b -> b.header(null, "x")),
        bad("header key", b -> b.headers(Collections.singletonMap(null, "x"))),
        bad("header 'a'", b -> b.header("a", null)),
        bad("header 'a'", b -> b.headers(Collections.singletonMap("a", null))),
        bad(
            "availableAt or deliverAfter",
            b -> b.availableAt(now.plusSeconds(9)).deliverAfter(Duration.ofSeconds(9))),
        bad("before occurredAt", b -> b.occurredAt(now).availableAt(now.minusMillis(1))),
        bad("deliverAfter", b -> b.deliverAfter(Duration.ZERO)),
        bad("deliverAfter", b -> b.deliverAfter(Duration.ofMillis(-1))),
        bad("deliverAfter", b -> b.deliverAfter(null)),
        bad("availableAt", b -> b.availableAt(null)),
        bad("availableAt", b -> b.availableAt(Instant.MAX)),
        bad("deliverAfter", b -> b.deliverAfter(ChronoUnit.FOREVER.getDuration())));
  }

  @EachDatabase
  void R17_aBadEventIsRefusedAndTheTransactionGoesOn(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      String good;
      try (Transaction transaction = scenario.transactions.begin()) {
        for (BadEvent bad : badEvents()) {
          assertThatThrownBy(() -> outbox.writer().write(bad.make.get()))
              .isInstanceOfAny(IllegalArgumentException.class, NullPointerException.class)
              .hasMessageContaining(bad.reason);
        }
        good = outbox.writer().write(Scenario.event());
        transaction.commit();
      }
      scenario.awaitAllDone(1);
      assertThat(scenario.deliveries.ids()).containsExactly(good);
    }
  }

  @Test
  void R17_anIdThatIsTwiceInABatchIsRefused() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      EventEnvelope event = Scenario.event();
      try (Transaction transaction = scenario.transactions.begin()) {
        assertThatThrownBy(() -> outbox.writer().writeAll(List.of(Scenario.event(), event, event)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(event.eventId())
            .hasMessageContaining("twice");
        outbox.writer().write(event);
        transaction.commit();
      }
      scenario.awaitAllDone(1);
      assertThat(scenario.deliveries.ids()).containsExactly(event.eventId());
    }
  }

  @EachDatabase
  void R17_anIdThatIsInTheTableIsRefused(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      CountDownLatch release = new CountDownLatch(1);
      scenario.deliveries.then(
          event -> {
            release.await();
            return DispatchResult.done();
          });
      Outbox outbox = scenario.start(scenario.singleNode().intervalMs(20));
      EventEnvelope event = Scenario.event();
      scenario.write(outbox.writer(), event);
      // while it is delivered, and by its very envelope: nothing may come to an end by that
      try (Transaction transaction = scenario.transactions.begin()) {
        assertThatThrownBy(() -> outbox.writer().writeAll(List.of(Scenario.event(), event)))
            .isInstanceOf(OutboxStoreException.class)
            .hasMessageContaining(event.eventId())
            .hasMessageContaining("already exists");
        transaction.rollback();
      }
      release.countDown();
      scenario.write(outbox.writer(), Scenario.event());
      scenario.awaitAllDone(2);
      outbox.close();
      assertThat(scenario.deliveries.count()).isEqualTo(2);
    }
  }

  // ---- settings

  static Stream<Named<ThrowingCallable>> badSettings() {
    Duration minute = Duration.ofMinutes(1);
    return Stream.of(
        refused("claim timeout of zero", () -> Outbox.multiNode().claimLocking(Duration.ZERO)),
        refused("claim timeout, negative", () -> Outbox.multiNode().claimLocking(minute.negated())),
        refused("owner, blank", () -> Outbox.multiNode().claimLocking(" ", minute)),
        refused("owner, long", () -> Outbox.multiNode().claimLocking("x".repeat(129), minute)),
        refused("workers, negative", () -> Outbox.singleNode().workerCount(-1)),
        refused("workers, none", () -> Outbox.singleNode().workerCount(0)),
        refused("hot queue", () -> Outbox.singleNode().hotQueueCapacity(0)),
        refused("cold queue", () -> Outbox.singleNode().coldQueueCapacity(0)),
        refused("queued bytes", () -> Outbox.singleNode().maxQueuedBytes(0)),
        refused("attempts", () -> Outbox.singleNode().maxAttempts(0)),
        refused(
            "missing listener", () -> Outbox.multiNode().missingListenerGrace(minute.negated())),
        refused("age", () -> Outbox.ordered().maxAge(Duration.ZERO)),
        refused("batch", () -> Outbox.ordered().batchSize(0)),
        refused("interval", () -> Outbox.ordered().intervalMs(0)),
        refused("skipRecent", () -> Outbox.ordered().skipRecent(minute.negated())),
        refused("drain timeout", () -> Outbox.ordered().drainTimeoutMs(-1)),
        refused("retention", () -> Outbox.writerOnly().purgeRetention(minute.negated())),
        refused("purge batch", () -> Outbox.writerOnly().purgeBatchSize(0)),
        refused("purge interval", () -> Outbox.writerOnly().purgeIntervalSeconds(0)),
        refused("H2 table", () -> new H2OutboxStore("x; drop table y")),
        refused("PostgreSQL table", () -> new PostgresOutboxStore("x; drop table y")),
        refused("MySQL table", () -> new MySqlOutboxStore("x; drop table y")),
        refused("H2 purger's table", () -> new H2EventPurger("x; drop table y")),
        refused("H2 age purger's table", () -> new H2AgeBasedPurger("x; drop table y")),
        refused("PostgreSQL purger's table", () -> new PostgresEventPurger("x y")),
        refused("MySQL purger's table", () -> new MySqlEventPurger("")));
  }

  private static Named<ThrowingCallable> refused(String what, ThrowingCallable setting) {
    return named(what, setting);
  }

  @ParameterizedTest
  @MethodSource("badSettings")
  void R17_aBadSettingIsRefusedWhenItIsMade(ThrowingCallable setting) {
    assertThatThrownBy(setting).isInstanceOf(IllegalArgumentException.class).message().isNotBlank();
  }

  @EachDatabase
  void R17_aBadTableNameReachesNoDatabase(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      for (String name :
          List.of("x; drop table outbox_event", "outbox_event--", "a.b.c", "1x", "")) {
        assertThatThrownBy(() -> JdbcOutboxStores.detect(scenario.pool, name))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("'" + name + "'");
        assertThatThrownBy(() -> OutboxSchema.create(scenario.pool, name))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("'" + name + "'");
      }
      assertThat(scenario.counts()).isEmpty(); // the table is still there
    }
  }

  static Stream<Named<Runnable>> incompleteBuilders() {
    List<Consumer<Outbox.AbstractBuilder<?>>> parts =
        List.of(
            builder -> builder.connectionProvider(() -> null),
            builder -> builder.txContext(new ThreadLocalTxContext()),
            builder -> builder.outboxStore(new InMemoryOutboxStore()),
            builder -> builder.listenerRegistry(Scenario.to(event -> DispatchResult.done())));
    List<String> names =
        List.of("connectionProvider", "txContext", "outboxStore", "listenerRegistry");
    Map<String, Supplier<Outbox.AbstractBuilder<?>>> builders =
        Map.of(
            "singleNode",
            Outbox::singleNode,
            "multiNode",
            () -> Outbox.multiNode().claimLocking(Duration.ofMinutes(1)),
            "ordered",
            Outbox::ordered,
            "writerOnly with a purger",
            () -> Outbox.writerOnly().purger((c, before, limit) -> 0));
    return builders.entrySet().stream()
        .flatMap(
            entry ->
                IntStream.range(0, entry.getKey().startsWith("writerOnly") ? 3 : 4)
                    .mapToObj(
                        missing ->
                            named(
                                entry.getKey() + " without " + names.get(missing),
                                () -> {
                                  Outbox.AbstractBuilder<?> builder = entry.getValue().get();
                                  for (int i = 0; i < parts.size(); i++) {
                                    if (i != missing) {
                                      parts.get(i).accept(builder);
                                    }
                                  }
                                  assertThatThrownBy(builder::build)
                                      .isInstanceOf(NullPointerException.class)
                                      .hasMessageContaining(names.get(missing));
                                })));
  }

  @ParameterizedTest
  @MethodSource("incompleteBuilders")
  void R17_buildRefusesWhatIsIncompleteAndLeavesNoThread(Runnable refusal) {
    OutboxThreads threads = new OutboxThreads();
    refusal.run();
    threads.awaitGone();
  }

  @Test
  void R17_manyNodesNeedAClaimTimeout() {
    assertThatThrownBy(() -> Outbox.multiNode().build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("claimLocking");
  }

  // ---- at run time

  @EachDatabase
  void R17_anErrorTextThatNoDatabaseStoresIsCleaned(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      String nasty = "a\0b\uD800c\uDC00" + "🙈".repeat(3000);
      scenario.deliveries.then(
          event -> {
            if (event.eventType().equals("Failing")) {
              throw new RetryAfterException(Duration.ofHours(1), nasty);
            }
            return DispatchResult.dead(nasty);
          });
      Outbox outbox = scenario.start(scenario.singleNode());
      String failing = scenario.write(outbox.writer(), EventEnvelope.ofJson("Failing", "{}"));
      String dead = scenario.write(outbox.writer(), Scenario.event());
      scenario.awaitStatus(failing, EventStatus.RETRY);
      scenario.awaitStatus(dead, EventStatus.DEAD);
      for (String id : List.of(failing, dead)) {
        assertThat((String) scenario.column("last_error", id))
            .contains("a\uFFFDb\uFFFDc\uFFFD🙈")
            .endsWith("🙈")
            .hasSizeBetween(3990, 4000);
      }
    }
  }

  @EachDatabase
  void R17_aRowWithMalformedHeadersIsDeadAndTheOthersGoOn(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      List<String> ids = scenario.write(scenario.coldWriter(), Scenario.events(6));
      List<String> malformed = List.of("[1]", "{\"a\":1}", "\"text\"");
      for (int i = 0; i < malformed.size(); i++) {
        scenario.update(
            "UPDATE outbox_event SET headers = '" + malformed.get(i) + "' WHERE event_id = ?",
            ids.get(i));
      }
      scenario.start(scenario.singleNode());
      await().until(scenario::counts, Map.of(EventStatus.DEAD, 3, EventStatus.DONE, 3)::equals);
      assertThat(scenario.deliveries.ids()).containsExactlyInAnyOrderElementsOf(ids.subList(3, 6));
      assertThat((String) scenario.column("last_error", ids.get(0))).contains("headers");
    }
  }

  @EachDatabase
  void R17_aRowWithAnUnknownStatusIsReportedAndLeftAlone(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind);
        LogRecords logs = new LogRecords()) {
      List<String> ids = scenario.write(scenario.coldWriter(), Scenario.events(3));
      scenario.update("UPDATE outbox_event SET status = 9 WHERE event_id = ?", ids.get(0));
      scenario.start(scenario.singleNode().intervalMs(20));
      scenario.awaitStatus(ids.get(1), EventStatus.DONE);
      scenario.awaitStatus(ids.get(2), EventStatus.DONE);
      await().until(() -> logs.contain("1 rows of the outbox have an unknown status"));
      assertThat(scenario.number("status", ids.get(0))).isEqualTo(9);
      assertThat(scenario.deliveries.has(ids.get(0))).isFalse();
    }
  }

  @Test
  void R17_aListenerThatInterruptsItsThreadHasFailed() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.deliveries.then(
          event -> {
            if (scenario.deliveries.countOf(event.eventId()) == 1) {
              Thread.currentThread().interrupt();
            }
            return DispatchResult.done();
          });
      Outbox outbox =
          scenario.start(scenario.singleNode().workerCount(1).retryPolicy(attempts -> 10));
      scenario.write(outbox.writer(), Scenario.events(5));
      scenario.awaitAllDone(5);
      assertThat(scenario.deliveries.repeated()).hasSize(5).values().containsOnly(2L);
      assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE attempts = 1")).hasSize(5);
    }
  }

  @Test
  void R17_aListenerThatBlocksForEverIsLeftBehindByClose() {
    CountDownLatch never = new CountDownLatch(1);
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.deliveries.then(
          event -> {
            while (true) {
              try {
                never.await();
                return DispatchResult.done();
              } catch (InterruptedException e) {
                // of no avail
              }
            }
          });
      Outbox outbox = scenario.start(scenario.singleNode().drainTimeoutMs(100));
      String id = scenario.write(outbox.writer(), Scenario.event());
      await().until(() -> scenario.deliveries.has(id));
      long start = System.nanoTime();
      outbox.close();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));

      Deliveries afterRestart = new Deliveries();
      scenario.start(scenario.singleNode().listenerRegistry(Scenario.to(afterRestart)));
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(afterRestart.ids()).containsExactly(id);
    } finally {
      never.countDown();
    }
  }

  @EachDatabase
  void R17_aDelayBeyondAllTimeIsCutToWhatCanBeStored(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Duration forever = ChronoUnit.FOREVER.getDuration();
      scenario.deliveries.then(
          event -> {
            if (event.eventType().equals("Failing")) {
              throw new RetryAfterException(forever);
            }
            return DispatchResult.retryAfter(forever);
          });
      Outbox outbox = scenario.start(scenario.singleNode());
      String failing = scenario.write(outbox.writer(), EventEnvelope.ofJson("Failing", "{}"));
      String deferred = scenario.write(outbox.writer(), Scenario.event());
      Instant nextYear = Instant.now().plus(Duration.ofDays(365));
      await().until(() -> scenario.instant("available_at", deferred).isAfter(nextYear));
      await().until(() -> scenario.instant("available_at", failing).isAfter(nextYear));
      outbox.close();
      assertThat(scenario.deliveries.count()).isEqualTo(2);
    }
  }

  @Test
  void R17_whatAHookRefusesReachesTheWriter() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      OutboxWriter picky =
          new DefaultOutboxWriter(
              scenario.tx,
              scenario.store,
              new WriterHook() {
                @Override
                public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                  if (events.size() > 1) {
                    throw new IllegalArgumentException("one at a time");
                  }
                  return events;
                }

                @Override
                public void afterCommit(List<EventEnvelope> events) {
                  throw new LinkageError("too late to refuse");
                }
              });
      try (Transaction transaction = scenario.transactions.begin()) {
        assertThatThrownBy(() -> picky.writeAll(Scenario.events(2)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("one at a time");
        picky.write(Scenario.event());
        transaction.commit();
      }
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.NEW, 1));
    }
  }
}
