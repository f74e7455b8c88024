package io.outbox.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.dispatch.RetryPolicy;
import io.outbox.gson.GsonJsonCodec;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.micronaut.shop.Shop;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.TxContext;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import io.outbox.testing.RecordingMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The application's beans replace those of the outbox. */
class OwnBeansTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final RecordingListener listener = new RecordingListener();
  private final List<String> used = new CopyOnWriteArrayList<>();

  @BeforeEach
  void clear() {
    TestApp.clear(TestDatabase.H2);
  }

  @Test
  void beansOfTheApplicationAreUsed() throws Exception {
    RecordingMetrics metrics = new RecordingMetrics();
    RetryPolicy retries =
        attempt -> {
          used.add("retry policy");
          return 1;
        };
    EventPurger purger =
        (connection, before, limit) -> {
          used.add("purger");
          return 0;
        };
    ConnectionProvider connections =
        () -> {
          used.add("connections");
          return TestApp.database(TestDatabase.H2).dataSource().getConnection();
        };
    OutboxBuilderCustomizer customizer = builder -> used.add("customizer");
    listener.failNext(1);
    try (TestApp app =
        TestApp.start(
            TestDatabase.H2,
            "shop",
            Map.of("outbox.purge.enabled", true, "outbox.purge.interval-seconds", 1),
            listener,
            metrics,
            retries,
            purger,
            connections,
            customizer)) {
      app.get(Shop.class).place("A-1", false);
      listener.awaitCount(2, SOON);
      Await.until(
          () -> "all of them, so far " + used,
          SOON,
          () ->
              used.containsAll(List.of("retry policy", "purger", "connections", "customizer"))
                  && metrics.successes() == 1);
    }
  }

  @Test
  void aRegistryOfTheApplicationTakesTheListeners() throws Exception {
    DefaultListenerRegistry registry = new DefaultListenerRegistry();
    try (TestApp app = TestApp.start(TestDatabase.H2, "shop", Map.of(), listener, registry)) {
      assertThat(registry.listenerFor("__GLOBAL__", "OrderPlaced")).isNotNull();
      app.get(Shop.class).place("A-1", false);
      listener.awaitCount(1, SOON);
    }
  }

  @Test
  void aRegistryThatCannotTakeThemIsRefused() {
    ListenerRegistry registry = (aggregateType, eventType) -> listener;
    assertThatThrownBy(
            () -> TestApp.start(TestDatabase.H2, "shop", Map.of(), listener, registry).close())
        .hasStackTraceContaining("1 outbox listeners, but the ListenerRegistry")
        .hasStackTraceContaining("Make the ListenerRegistry bean a DefaultListenerRegistry");
  }

  @Test
  void twoBeansOfWhichTheOutboxTakesOneAreRefused() {
    RetryPolicy one = attempt -> 1;
    RetryPolicy another = attempt -> 2;
    assertRefused("The outbox takes one RetryPolicy, but there are 2", one, another);
    JsonCodec codec = new GsonJsonCodec();
    assertRefused("The outbox takes one JsonCodec, but there are 2", codec, new GsonJsonCodec());
    TxContext tx = new ThreadLocalTxContext();
    assertRefused(
        "The outbox takes one TxContext, but there are 2", tx, new ThreadLocalTxContext());
  }

  private void assertRefused(String message, Object one, Object another) {
    assertThatThrownBy(
            () -> TestApp.start(TestDatabase.H2, "shop", Map.of(), listener, one, another).close())
        .hasStackTraceContaining(message)
        .hasStackTraceContaining("@Primary");
  }
}
