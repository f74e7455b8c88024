package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.SpecOnlyStore;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OutboxDispatcherBuilderTest {

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);

  private OutboxDispatcher.Builder complete() {
    return OutboxDispatcher.builder()
        .connectionProvider(database)
        .outboxStore(store)
        .listenerRegistry(new DefaultListenerRegistry());
  }

  @Test
  void defaultsAreThoseOfTheSpecification() {
    OutboxSettings defaults = new OutboxSettings();

    assertThat(defaults.maxAttempts).isEqualTo(10);
    assertThat(defaults.workerCount).isEqualTo(4);
    assertThat(defaults.hotQueueCapacity).isEqualTo(1_000);
    assertThat(defaults.coldQueueCapacity).isEqualTo(1_000);
    assertThat(defaults.drainTimeoutMs).isEqualTo(5_000);
    assertThat(defaults.metrics).isSameAs(MetricsExporter.NOOP);
    assertThat(defaults.inFlightTracker).isInstanceOf(DefaultInFlightTracker.class);
    assertThat(defaults.retryPolicy).isInstanceOf(ExponentialBackoffRetryPolicy.class);
    assertThat(defaults.retryPolicy.computeDelayMs(1)).isBetween(100L, 300L);
    assertThat(defaults.retryPolicy.computeDelayMs(100)).isBetween(30_000L, 90_000L);
    assertThat(defaults.interceptors).isEmpty();
  }

  static Stream<Consumer<OutboxDispatcher.Builder>> wrongNumbers() {
    return Stream.of(
        builder -> builder.maxAttempts(0),
        builder -> builder.workerCount(0),
        builder -> builder.workerCount(-1),
        builder -> builder.hotQueueCapacity(0),
        builder -> builder.coldQueueCapacity(0),
        builder -> builder.maxQueuedBytes(0),
        builder -> builder.drainTimeoutMs(-1),
        builder -> builder.claimLocking("", Duration.ofMinutes(5)),
        builder -> builder.claimLocking("x".repeat(129), Duration.ofMinutes(5)),
        builder -> builder.claimLocking("node", Duration.ZERO),
        builder -> builder.claimLocking("node", Duration.ofMillis(99)),
        builder -> builder.claimLocking("node", Duration.ofSeconds(Long.MAX_VALUE)));
  }

  @ParameterizedTest
  @MethodSource("wrongNumbers")
  void R17_aWrongSettingIsRefusedAtOnce(Consumer<OutboxDispatcher.Builder> setting) {
    assertThatIllegalArgumentException().isThrownBy(() -> setting.accept(complete()));
  }

  static Stream<Consumer<OutboxDispatcher.Builder>> nulls() {
    return Stream.of(
        builder -> builder.connectionProvider(null),
        builder -> builder.outboxStore(null),
        builder -> builder.listenerRegistry(null),
        builder -> builder.inFlightTracker(null),
        builder -> builder.retryPolicy(null),
        builder -> builder.metrics(null),
        builder -> builder.interceptor(null),
        builder -> builder.interceptors(null),
        builder -> builder.interceptors(Collections.singletonList(null)),
        builder -> builder.onDead(null),
        builder -> builder.clock(null),
        builder -> builder.claimLocking(null, Duration.ofMinutes(5)),
        builder -> builder.claimLocking("node", null));
  }

  @ParameterizedTest
  @MethodSource("nulls")
  void R17_nullIsRefusedAtOnce(Consumer<OutboxDispatcher.Builder> setting) {
    assertThatNullPointerException().isThrownBy(() -> setting.accept(complete()));
  }

  @Test
  void R17_whatIsMissingIsNamed() {
    assertThatNullPointerException()
        .isThrownBy(() -> OutboxDispatcher.builder().build())
        .withMessageContaining("connectionProvider is required");
    assertThatNullPointerException()
        .isThrownBy(() -> OutboxDispatcher.builder().connectionProvider(database).build())
        .withMessageContaining("outboxStore is required");
    assertThatNullPointerException()
        .isThrownBy(
            () ->
                OutboxDispatcher.builder().connectionProvider(database).outboxStore(store).build())
        .withMessageContaining("listenerRegistry is required");
  }

  @Test
  void R17_deletingNeedsAStoreThatCan() {
    OutboxDispatcher.Builder builder =
        complete().outboxStore(new SpecOnlyStore(store)).deleteOnDone(true);

    assertThatIllegalStateException()
        .isThrownBy(builder::build)
        .withMessageContaining("supportsDeletes() of io.outbox.fakes.SpecOnlyStore says no");
  }

  @Test
  void interceptorsAddedAfterTheBuildDoNotCount() {
    OutboxDispatcher.Builder builder = complete();
    try (OutboxDispatcher dispatcher = builder.build()) {
      builder.interceptors(Arrays.asList(EventInterceptor.before(event -> {})));
      assertThat(dispatcher.coldQueueRemainingCapacity()).isEqualTo(1_000);
    }
  }

  @Test
  void R17_nullIsNotQueued() {
    try (OutboxDispatcher dispatcher = complete().build()) {
      assertThatNullPointerException().isThrownBy(() -> dispatcher.enqueueHot(null));
      assertThatNullPointerException().isThrownBy(() -> dispatcher.enqueueCold(null));
    }
  }

  @Test
  void hooksAndHandlersNeedADispatcher() {
    assertThatNullPointerException().isThrownBy(() -> new DispatcherWriterHook(null));
    assertThatNullPointerException().isThrownBy(() -> new DispatcherPollerHandler(null));
    assertThatNullPointerException().isThrownBy(() -> EventInterceptor.before(null));
    assertThatNullPointerException().isThrownBy(() -> EventInterceptor.after(null));
    try (OutboxDispatcher dispatcher = complete().build()) {
      assertThatNullPointerException().isThrownBy(() -> new DispatcherWriterHook(dispatcher, null));
    }
  }
}
