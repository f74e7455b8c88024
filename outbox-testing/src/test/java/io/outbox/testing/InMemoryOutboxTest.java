package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** How a user tests code that writes events: the engine is real, only the database is not. */
class InMemoryOutboxTest {

  private static final Duration BOUND = Duration.ofSeconds(60);

  private final InMemoryOutboxStore store = new InMemoryOutboxStore();
  private final StubTxContext tx = new StubTxContext(store.database());
  private final RecordingListener listener = new RecordingListener();
  private final RecordingMetrics metrics = new RecordingMetrics();

  private Outbox.SingleNodeBuilder singleNode() {
    return Outbox.singleNode()
        .connectionProvider(store.database())
        .txContext(tx)
        .outboxStore(store)
        .metrics(metrics)
        .listenerRegistry(new DefaultListenerRegistry().register("OrderPlaced", listener));
  }

  @Test
  void whatIsCommittedIsDelivered() {
    try (Outbox outbox = singleNode().build()) {
      String id = tx.callInTransaction(() -> outbox.writer().write("OrderPlaced", "{\"n\":1}"));
      Await.finished(store, BOUND);

      assertThat(listener.deliveredIds()).containsExactly(id);
      assertThat(listener.deliveries().get(0).event().payloadJson()).isEqualTo("{\"n\":1}");
      assertThat(store.find(id).orElseThrow().status()).isEqualTo(EventStatus.DONE);
    }
    assertThat(metrics.successes()).isOne();
    assertThat(store.database().openConnections()).isZero();
  }

  @Test
  void subscriptionsGetTheirCopies() {
    RecordingListener other = new RecordingListener();
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry()
            .subscribe("OrderPlaced", "mail", listener)
            .subscribe("OrderPlaced", "webhook", other);
    try (Outbox outbox = singleNode().listenerRegistry(registry).build()) {
      String id = tx.callInTransaction(() -> outbox.writer().write("OrderPlaced", "{}"));
      Await.until("copies", BOUND, () -> store.events(EventStatus.DONE).size() == 3);

      assertThat(listener.deliveredIds()).containsExactly(id);
      assertThat(other.deliveredIds()).containsExactly(id);
    }
  }

  @Test
  void eachSubscriptionHasItsOwnPolicy() {
    List<String> givenUp = new CopyOnWriteArrayList<>();
    RecordingListener failing = new RecordingListener().failNext(5);
    ListenerPolicy once =
        ListenerPolicy.builder()
            .maxAttempts(1)
            .fallback((event, why) -> givenUp.add(event.eventId()))
            .build();
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry()
            .subscribe("OrderPlaced", "mail", listener)
            .subscribe("OrderPlaced", "webhook", once.around(failing));
    try (Outbox outbox = singleNode().listenerRegistry(registry).build()) {
      String id = tx.callInTransaction(() -> outbox.writer().write("OrderPlaced", "{}"));
      Await.until("the fallback", BOUND, () -> givenUp.size() == 1);

      assertThat(givenUp).containsExactly(id);
      assertThat(failing.deliveredIds()).containsExactly(id);
      assertThat(store.events(EventStatus.DEAD)).hasSize(1);
      Await.until("the other copy", BOUND, () -> store.events(EventStatus.DONE).size() == 2);
    }
  }

  @Test
  void R2_whatIsRolledBackIsNot() {
    try (Outbox outbox = singleNode().build()) {
      tx.begin();
      outbox.writer().write("OrderPlaced", "1");
      StubTxContext.Savepoint savepoint = tx.savepoint();
      outbox.writer().write("OrderPlaced", "2");
      tx.rollbackTo(savepoint);
      tx.commit();
      tx.begin();
      outbox.writer().write("OrderPlaced", "3");
      tx.rollback();
      Await.finished(store, BOUND);
    }
    assertThat(listener.deliveries()).extracting(d -> d.event().payloadJson()).containsExactly("1");
  }

  @Test
  void aFailureIsTriedAgain() {
    listener.failNext(2);
    try (Outbox outbox = singleNode().retryPolicy(attempts -> 1).build()) {
      String id = tx.callInTransaction(() -> outbox.writer().write("OrderPlaced", "{}"));
      Await.finished(store, BOUND);

      assertThat(listener.count(id)).isEqualTo(3);
      assertThat(store.find(id).orElseThrow().attempts()).isEqualTo(2);
    }
    assertThat(metrics.failures()).isEqualTo(2);
  }

  @Test
  void R3_twoNodesDeliverEachEventOnce() {
    try (Outbox first = node();
        Outbox second = node()) {
      for (int i = 0; i < 50; i++) {
        Outbox writing = i % 2 == 0 ? first : second;
        tx.inTransaction(
            () -> {
              writing.writer().write("OrderPlaced", "{}");
              writing
                  .writer()
                  .writeAll(
                      List.of(
                          EventEnvelope.builder("OrderPlaced")
                              .header("trace", "abc")
                              .payloadJson("{}")
                              .build()));
            });
      }
      Await.finished(store, BOUND);
    }
    assertThat(listener.deliveredIds()).hasSize(100).doesNotHaveDuplicates();
  }

  private Outbox node() {
    return Outbox.multiNode()
        .connectionProvider(store.database())
        .txContext(tx)
        .outboxStore(new InMemoryOutboxStore(store.database()))
        .listenerRegistry(new DefaultListenerRegistry().register("OrderPlaced", listener))
        .claimLocking(Duration.ofMinutes(5))
        .build();
  }

  @Test
  void R1_anOutageDelaysAndLosesNothing() {
    try (Outbox outbox = singleNode().build()) {
      listener.block();
      String id = tx.callInTransaction(() -> outbox.writer().write("OrderPlaced", "{}"));
      listener.awaitCount(1, BOUND);
      store.faults().failNext(StoreOperation.CONNECT, 3);
      listener.release();
      Await.finished(store, BOUND);

      assertThat(listener.count(id)).isOne();
    }
  }
}
