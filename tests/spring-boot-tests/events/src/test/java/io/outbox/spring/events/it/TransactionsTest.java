package io.outbox.spring.events.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.spring.events.it.shop.OrderPaid;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Published events share the fate of the transaction they are published in, on PostgreSQL. */
class TransactionsTest {

  private static final int PUBLICATIONS = 2_000;

  private static Database database;
  private static Shop shop;

  @BeforeAll
  static void start() {
    database = TestDatabase.POSTGRES.fresh();
    shop = Shop.start(database);
  }

  @AfterAll
  static void stop() {
    shop.close();
    database.close();
  }

  private static void publish(String orderId) {
    shop.publish(new OrderPaid(orderId, 1999, "EUR", "berlin"));
  }

  /** Of the orders that begin with {@code prefix}, exactly these were delivered and written. */
  private static void assertDelivered(String prefix, String... orderIds) {
    shop.inTransaction(status -> publish(prefix + "last"));
    List<String> expected = new ArrayList<>(List.of(orderIds));
    expected.add(prefix + "last");
    Await.until(
        () -> expected + ", there are " + delivered(prefix),
        Shop.SOON,
        () -> delivered(prefix).size() >= expected.size());
    assertThat(delivered(prefix)).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(
            shop.jdbc()
                .queryForList(
                    "SELECT aggregate_id FROM outbox_event WHERE aggregate_id LIKE ?",
                    String.class,
                    prefix + "%"))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  private static List<String> delivered(String prefix) {
    return shop.delivered().deliveries().stream()
        .map(delivery -> delivery.event().aggregateId())
        .filter(id -> id.startsWith(prefix))
        .toList();
  }

  private static void assertRefused(String orderId, String... words) {
    assertThatIllegalStateException()
        .isThrownBy(() -> publish(orderId))
        .withMessageContaining(OrderPaid.class.getName())
        .withMessageContainingAll(words);
  }

  @Test
  void R2_aCommitDeliversAndARollbackDoesNot() {
    shop.inTransaction(status -> publish("a-committed"));
    shop.inTransaction(
        status -> {
          publish("a-rolled-back");
          status.setRollbackOnly();
        });

    assertDelivered("a-", "a-committed");
  }

  @Test
  void theEventIsInTheTableBeforeTheCommit() {
    shop.inTransaction(
        status -> {
          publish("b-written");
          assertThat(
                  shop.jdbc()
                      .queryForObject(
                          "SELECT count(*) FROM outbox_event WHERE aggregate_id = 'b-written'",
                          Integer.class))
              .isOne();
          assertThat(delivered("b-")).isEmpty();
        });

    assertDelivered("b-", "b-written");
  }

  @Test
  void R2_aNewTransactionInsideIsCommittedAndRolledBackAlone() {
    TransactionTemplate requiresNew = shop.tx(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    shop.inTransaction(
        outer -> {
          publish("c-outer");
          requiresNew.executeWithoutResult(inner -> publish("c-inner"));
          requiresNew.executeWithoutResult(
              inner -> {
                publish("c-inner-rolled-back");
                inner.setRollbackOnly();
              });
          publish("c-outer-after");
          outer.setRollbackOnly();
        });

    assertDelivered("c-", "c-inner");
  }

  @Test
  void R2_aNestedTransactionIsRolledBackAlone() {
    TransactionTemplate nested = shop.tx(TransactionDefinition.PROPAGATION_NESTED);
    shop.inTransaction(
        outer -> {
          publish("d-outer");
          nested.executeWithoutResult(
              inner -> {
                publish("d-undone");
                inner.setRollbackOnly();
              });
          nested.executeWithoutResult(inner -> publish("d-nested"));
        });

    assertDelivered("d-", "d-outer", "d-nested");
  }

  @Test
  void R16_anEventIsRefusedWhileTheTransactionIsSuspended() {
    shop.inTransaction(
        outer -> {
          publish("e-before");
          shop.tx(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
              .executeWithoutResult(inner -> assertRefused("e-suspended", "transaction"));
          publish("e-after");
        });

    assertDelivered("e-", "e-before", "e-after");
  }

  @Test
  void R2_aTransactionThatTimesOutDeliversNothing() {
    TransactionTemplate brief = shop.tx();
    brief.setTimeout(1);

    assertThatThrownBy(
            () ->
                brief.executeWithoutResult(
                    status -> {
                      publish("f-late");
                      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1_100);
                      Await.until(
                          "the timeout", Duration.ofSeconds(30), () -> System.nanoTime() > end);
                      shop.jdbc().queryForObject("SELECT 1", Integer.class);
                    }))
        .isInstanceOf(TransactionTimedOutException.class);

    assertDelivered("f-");
  }

  @Test
  void R16_anEventWithoutATransactionIsRefusedAndAnotherIsNot() {
    assertRefused("g-none", "no Spring transaction", "@Transactional");
    shop.publish("no event for the outbox");

    assertDelivered("g-");
  }

  @Test
  void R16_anEventThatIsPublishedAfterTheCommitIsRefused() {
    List<Throwable> refusals = new ArrayList<>();
    shop.inTransaction(
        status -> {
          publish("h-before");
          TransactionSynchronizationManager.registerSynchronization(
              new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                  try {
                    publish("h-after");
                  } catch (RuntimeException e) {
                    refusals.add(e);
                  }
                }
              });
        });

    assertThat(refusals).singleElement().isInstanceOf(IllegalStateException.class);
    assertDelivered("h-", "h-before");
  }

  @Test
  void R3_eachOfManyConcurrentPublicationsIsDeliveredOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try {
      List<Future<?>> publications = new ArrayList<>();
      for (int i = 0; i < PUBLICATIONS; i++) {
        String orderId = "many-" + i;
        publications.add(threads.submit(() -> shop.inTransaction(status -> publish(orderId))));
      }
      for (Future<?> publication : publications) {
        publication.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }

    assertDelivered(
        "many-",
        IntStream.range(0, PUBLICATIONS).mapToObj(i -> "many-" + i).toArray(String[]::new));
  }

  /** The first application is stopped while it delivers; the second one goes on. */
  @Test
  void R1_aRestartInTheMiddleLosesNothing() {
    int count = 300;
    List<String> first;
    List<String> second;
    try (Database own = TestDatabase.POSTGRES.fresh()) {
      RecordingListener listener;
      try (Shop before = Shop.start(own, "outbox.dispatcher.drain-timeout-ms=1")) {
        listener = before.delivered();
        RecordingListener blocking = listener;
        listener.answer(
            event -> {
              if (blocking.count() > 100) {
                blocking.block();
              }
              return DispatchResult.done();
            });
        for (int i = 0; i < count; i++) {
          String orderId = "restart-" + i;
          before.inTransaction(
              status -> before.publish(new OrderPaid(orderId, 1, "EUR", "berlin")));
        }
        listener.awaitCount(101, Shop.SOON);
      }
      first = ids(listener);
      try (Shop after = Shop.start(own)) {
        Await.until(
            () -> "all events, unfinished: " + unfinished(after),
            Shop.SOON,
            () -> unfinished(after) == 0);
        second = ids(after.delivered());
      }
    }

    assertThat(first).hasSizeBetween(101, count - 1);
    assertThat(Stream.concat(first.stream(), second.stream()).distinct()).hasSize(count);
  }

  private static List<String> ids(RecordingListener listener) {
    return listener.deliveries().stream().map(delivery -> delivery.event().aggregateId()).toList();
  }

  private static int unfinished(Shop shop) {
    return shop.count("outbox_event WHERE status <> 1");
  }
}
