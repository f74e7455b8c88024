package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.Await;
import io.outbox.testing.InMemoryOutboxStore;
import io.outbox.testing.RecordingListener;
import io.outbox.testing.StubTxContext;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How users test. */
class TestingTest {

  @Test
  void withoutADatabase() {
    // snippet: in-memory
    InMemoryOutboxStore store = new InMemoryOutboxStore();
    StubTxContext tx = new StubTxContext(store.database());
    RecordingListener listener = new RecordingListener().failNext(1);

    try (Outbox outbox =
        Outbox.singleNode()
            .connectionProvider(store.database())
            .txContext(tx)
            .outboxStore(store)
            .listenerRegistry(new DefaultListenerRegistry().register("OrderPlaced", listener))
            .build()) {
      tx.inTransaction(() -> outbox.writer().write("OrderPlaced", "{}"));

      Await.finished(store, Duration.ofSeconds(30)); // all events DONE or DEAD
    }
    assertThat(listener.count()).isEqualTo(2);
    assertThat(store.events(EventStatus.DONE)).hasSize(1);
    // end
  }
}
