package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.publish.Addressed;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

class StartLineTest {

  private final FakeDatabase database = new FakeDatabase();
  private final FakeTx tx = new FakeTx(database);
  private final FakeStore store = new FakeStore(database, Clock.systemUTC());
  private final DefaultListenerRegistry registry = new DefaultListenerRegistry();

  private static final class QueuePublisher implements AsyncEventListener, Addressed {
    @Override
    public CompletionStage<DispatchResult> onEvent(EventEnvelope envelope) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public String destinationOf(EventEnvelope event) {
      return "queue";
    }
  }

  private List<String> started() {
    return CapturedLogs.of(OutboxAssembly.class, Level.INFO).stream()
        .filter(line -> line.contains("outbox started"))
        .toList();
  }

  @Test
  void anOutboxSaysInOneLineWhatItIs() {
    registry
        .register("OrderPaid", event -> null)
        .register("Order", "OrderPlaced", event -> null)
        .registerDefaultAsync(new QueuePublisher());
    int before = started().size();
    Outbox.singleNode()
        .connectionProvider(database)
        .txContext(tx)
        .outboxStore(store)
        .listenerRegistry(registry)
        .build()
        .close();

    assertThat(started()).hasSize(before + 1);
    assertThat(started().get(before))
        .contains("singleNode()")
        .contains("listeners for Order/OrderPlaced, OrderPaid, all events")
        .contains("publishers QueuePublisher")
        .containsPattern("version \\d+\\.\\d+")
        .doesNotContain("__GLOBAL__", "$");
  }

  @Test
  void manyListenersAreNotAllNamed() {
    for (int i = 10; i < 40; i++) {
      registry.register("Type" + i, event -> null);
    }
    OutboxSettings settings = new OutboxSettings();
    settings.outboxStore = store;
    settings.listenerRegistry = registry;

    assertThat(StartLine.of("ordered()", settings))
        .contains("Type10, ", "Type19 and 20 more")
        .doesNotContain("Type20");
  }

  @Test
  void whoeverOnlyWritesHasNoListeners() {
    OutboxSettings settings = new OutboxSettings();
    settings.outboxStore = store;

    assertThat(StartLine.of("writerOnly()", settings)).doesNotContain("listener");
  }
}
