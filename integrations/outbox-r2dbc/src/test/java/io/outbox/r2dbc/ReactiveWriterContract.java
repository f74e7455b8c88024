package io.outbox.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What every writer in reactive transactions must do. A subclass says how one is run. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReactiveWriterContract {

  static final Duration SOON = Duration.ofSeconds(60);

  private final TestDatabase kind;
  ReactiveDatabase database;
  RecordingListener delivered;
  Outbox outbox;

  ReactiveWriterContract(TestDatabase kind) {
    this.kind = kind;
  }

  /** What a transaction can do: write events, and change data by SQL. */
  record Tx(ReactiveOutboxWriter writer, Function<String, Mono<Long>> sql) {
    Mono<Long> order(String id) {
      return sql.apply("INSERT INTO orders (id) VALUES ('" + id + "')");
    }
  }

  /** Runs {@code work} in a transaction on a connection of {@code connections}. */
  abstract <T> Mono<T> inTransaction(
      R2dbcOutbox outbox, ConnectionFactory connections, Function<Tx, Mono<T>> work);

  @BeforeAll
  final void createDatabase() {
    database = new ReactiveDatabase(kind);
  }

  @AfterAll
  final void dropDatabase() {
    database.close();
  }

  @BeforeEach
  final void start() {
    database.clear();
    delivered = new RecordingListener();
    outbox = database.configured(Outbox.singleNode(), delivered).build();
  }

  @AfterEach
  final void stop() {
    outbox.close();
  }

  private <T> Mono<T> inTransaction(Function<Tx, Mono<T>> work) {
    return inTransaction(new R2dbcOutbox(outbox, database.store), database.pool, work);
  }

  private <T> T run(Function<Tx, Mono<T>> work) {
    return inTransaction(work).block(SOON);
  }

  /** Delivers an event that comes after all others: nothing else was delivered before it. */
  private void assertDelivered(List<String> ids) {
    String last = run(tx -> tx.writer().write("Last", "{}"));
    Await.until("the last event", SOON, () -> delivered.count(last) > 0);
    Await.finished(database.store, database.connectionProvider, SOON);
    List<String> all = new ArrayList<>(ids);
    all.add(last);
    assertThat(delivered.deliveredIds()).containsExactlyInAnyOrderElementsOf(all);
  }

  enum Mode {
    SINGLE_NODE,
    MULTI_NODE,
    ORDERED,
    ORDERED_BY_KEY
  }

  private Outbox build(Mode mode) {
    return switch (mode) {
      case SINGLE_NODE -> database.configured(Outbox.singleNode(), delivered).build();
      case MULTI_NODE ->
          database
              .configured(Outbox.multiNode(), delivered)
              .claimLocking(Duration.ofMinutes(5))
              .build();
      case ORDERED -> database.configured(Outbox.ordered(), delivered).build();
      case ORDERED_BY_KEY -> database.configured(Outbox.orderedByKey(), delivered).build();
    };
  }

  @ParameterizedTest
  @EnumSource
  void aCommitIsDeliveredAtOnceInEveryMode(Mode mode) {
    outbox.close();
    outbox = build(mode);
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .aggregateType("Order")
            .aggregateId("A-1")
            .payloadJson("{\"n\":1}")
            .build();
    int[] beforeTheCommit = {-1};

    String id =
        run(
            tx ->
                tx.order("A-1")
                    .then(tx.writer().write(event))
                    .doOnNext(written -> beforeTheCommit[0] = delivered.count()));

    assertThat(id).isEqualTo(event.eventId());
    delivered.awaitCount(1, SOON);
    assertThat(delivered.deliveries().get(0).event().payloadJson()).isEqualTo("{\"n\":1}");
    assertThat(beforeTheCommit[0]).isZero();
    assertThat(database.orders()).containsExactly("A-1");
  }

  @Test
  void R2_anErrorInThePipelineRollsBackAndNothingIsDelivered() {
    assertThatThrownBy(
            () ->
                run(
                    tx ->
                        tx.order("A-1")
                            .then(tx.writer().write("OrderPlaced", "{}"))
                            .then(Mono.error(new IllegalStateException("no stock")))))
        .hasMessage("no stock");

    assertThat(database.orders()).isEmpty();
    assertThat(database.eventIds()).isEmpty();
    assertDelivered(List.of());
  }

  @Test
  void R2_aCanceledPipelineRollsBackAndNothingIsDelivered() throws Exception {
    CountDownLatch written = new CountDownLatch(1);
    Disposable pipeline =
        inTransaction(
                tx ->
                    tx.order("A-1")
                        .then(tx.writer().write("OrderPlaced", "{}"))
                        .doOnNext(id -> written.countDown())
                        .then(Mono.never()))
            .subscribe();
    assertThat(written.await(60, TimeUnit.SECONDS)).isTrue();
    pipeline.dispose();

    // The row that it has locked is free when it has been rolled back.
    run(tx -> tx.order("A-1"));
    assertThat(database.eventIds()).isEmpty();
    assertDelivered(List.of());
  }

  @Test
  void R2_aTimeoutRollsBack() {
    assertThatThrownBy(
            () ->
                inTransaction(
                        tx -> tx.writer().write("OrderPlaced", "{}").then(Mono.<String>never()))
                    .timeout(Duration.ofSeconds(1))
                    .block(SOON))
        .hasRootCauseInstanceOf(TimeoutException.class);

    assertDelivered(List.of());
    assertThat(database.eventIds()).hasSize(1);
  }

  @Test
  void nothingIsWrittenWithoutASubscription() {
    run(
        tx -> {
          tx.writer().write("Forgotten", "{}");
          return tx.order("A-1");
        });

    assertThat(database.eventIds()).isEmpty();
  }

  @Test
  void manyEventsOfATransactionAreWrittenInTheirOrder() {
    List<EventEnvelope> batch =
        IntStream.range(0, 300)
            .mapToObj(i -> EventEnvelope.ofJson("Batched", "{\"i\":" + i + "}"))
            .toList();
    List<String> expected = new ArrayList<>();

    List<String> ids =
        run(
            tx ->
                tx.writer()
                    .write("First", "{}")
                    .doOnNext(expected::add)
                    .then(tx.writer().writeAll(batch)));
    expected.addAll(ids);

    assertThat(ids).isEqualTo(batch.stream().map(EventEnvelope::eventId).toList());
    assertThat(database.eventIds()).isEqualTo(expected);
    assertDelivered(expected);
  }

  @Test
  void anEmptyBatchWritesNothing() {
    List<String> ids = run(tx -> tx.writer().writeAll(List.of()));

    assertThat(ids).isEmpty();
    assertThat(database.eventIds()).isEmpty();
  }

  @Test
  void aBatchIsWrittenWholeOrNotAtAllThoughTheTransactionGoesOn() {
    EventEnvelope there = EventEnvelope.ofJson("There", "{}");
    run(tx -> tx.writer().write(there));
    List<EventEnvelope> batch = new ArrayList<>();
    IntStream.range(0, 200).forEach(i -> batch.add(EventEnvelope.ofJson("Batched", "{}")));
    batch.add(there);
    List<Throwable> failures = new ArrayList<>();

    run(
        tx ->
            tx.order("A-1")
                .then(tx.writer().writeAll(batch))
                .onErrorResume(
                    OutboxStoreException.class,
                    e -> {
                      failures.add(e);
                      return Mono.just(List.of());
                    }));

    assertThat(failures).hasSize(1);
    assertThat(failures.get(0))
        .hasMessageContaining("outbox_event")
        .hasMessageContaining(
            kind == TestDatabase.POSTGRES // whose driver leaves out which one it was
                ? "one of the event ids already exists"
                : "the event id already exists: " + there.eventId());
    assertThat(database.orders()).containsExactly("A-1");
    assertThat(database.eventIds()).containsExactly(there.eventId());
  }

  @Test
  void R17_anIdThatIsTwiceInABatchIsRefused() {
    EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");

    assertThatThrownBy(() -> run(tx -> tx.writer().writeAll(List.of(event, event))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(event.eventId());
    assertThat(database.eventIds()).isEmpty();
  }

  @Test
  void R17_invalidJsonIsRefused() {
    assertThatThrownBy(() -> run(tx -> tx.writer().write("OrderPlaced", "{orderId: 17}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not valid JSON");
  }

  @Test
  void aMissingTableIsNamedWithWhatToDo() {
    R2dbcOutbox elsewhere =
        new R2dbcOutbox(outbox, JdbcOutboxStores.detect(database.dataSource, "not_there"));

    assertThatThrownBy(
            () ->
                inTransaction(elsewhere, database.pool, tx -> tx.writer().write("Any", "{}"))
                    .block(SOON))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("not_there")
        .hasMessageContaining("OutboxSchema.create");
  }

  @Test
  void interceptorsSeeEveryEvent() {
    outbox.close();
    outbox =
        database
            .configured(Outbox.singleNode(), delivered)
            .interceptor(
                new EventInterceptor() {
                  @Override
                  public EventEnvelope beforeWrite(EventEnvelope event) {
                    return event.withHeaders(Map.of("trace", "t-1"));
                  }
                })
            .build();

    run(tx -> tx.writer().write("OrderPlaced", "{}"));

    delivered.awaitCount(1, SOON);
    assertThat(delivered.deliveries().get(0).event().headers()).containsEntry("trace", "t-1");
  }

  @Test
  void whatIsWrittenWhileDeliveryIsStoppedWaits() {
    outbox.stop();
    String id = run(tx -> tx.writer().write("OrderPlaced", "{}"));
    assertThat(database.eventIds()).containsExactly(id);
    outbox.start();

    Await.until("the event", SOON, () -> delivered.count(id) == 1);
  }

  @Test
  void theEventsOfAKeyArriveInTheirOrder() {
    outbox.close();
    // the order is what counts here, not how soon
    outbox = database.configured(Outbox.orderedByKey(), delivered).intervalMs(2_000).build();
    int keys = 5;
    int each = 20;

    Flux.range(0, keys)
        .flatMap(
            key ->
                Flux.range(0, each)
                    .concatMap(
                        i ->
                            inTransaction(
                                tx ->
                                    tx.writer()
                                        .write(
                                            EventEnvelope.builder("Step")
                                                .orderingKey("key-" + key)
                                                .payloadJson("{\"i\":" + i + "}")
                                                .build()))))
        .then()
        .block(SOON);

    delivered.awaitCount(keys * each, SOON);
    Map<String, List<String>> byKey = new TreeMap<>();
    delivered
        .deliveries()
        .forEach(
            delivery ->
                byKey
                    .computeIfAbsent(delivery.event().orderingKey(), key -> new ArrayList<>())
                    .add(delivery.event().payloadJson()));
    List<String> inOrder = IntStream.range(0, each).mapToObj(i -> "{\"i\":" + i + "}").toList();
    assertThat(byKey).hasSize(keys);
    byKey.forEach((key, payloads) -> assertThat(payloads).as(key).isEqualTo(inOrder));
  }

  /** So that nodes which look for due events find it, whatever the writer's clock says. */
  @Test
  void anOldEventIsDueAtItsInsertInOrderByKey() {
    outbox.close();
    outbox = build(Mode.ORDERED_BY_KEY);
    run(tx -> tx.writer().write("First", "{}"));
    delivered.awaitCount(1, SOON); // by now it is known that the table can hold such an event
    delivered.block();
    EventEnvelope old =
        EventEnvelope.builder("Old")
            .occurredAt(Instant.parse("2024-01-01T00:00:00Z"))
            .payloadJson("{}")
            .build();

    run(tx -> tx.writer().write(old));

    assertThat(
            database.texts(
                "SELECT event_id FROM outbox_event WHERE available_at > created_at"
                    + " AND waiting_since = created_at"))
        .containsExactly(old.eventId());
    delivered.release();
    Await.until("the old event", SOON, () -> delivered.count(old.eventId()) == 1);
  }

  @Test
  void R3_twoThousandConcurrentTransactionsAreDeliveredOnceEach() {
    int transactions = 2_000;

    List<String> ids =
        Flux.range(0, transactions)
            .flatMap(
                i ->
                    inTransaction(
                        tx -> tx.order("A-" + i).then(tx.writer().write("OrderPlaced", "{}"))),
                transactions)
            .collectList()
            .block(Duration.ofSeconds(120));

    assertThat(new HashSet<>(ids)).hasSize(transactions);
    delivered.awaitCount(transactions, Duration.ofSeconds(120));
    assertDelivered(ids);
    assertThat(database.orders()).hasSize(transactions);
  }
}
