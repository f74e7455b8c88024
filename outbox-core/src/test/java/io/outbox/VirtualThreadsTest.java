package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class VirtualThreadsTest {

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final FakeTx tx = new FakeTx(database);
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  private Outbox.DispatchingBuilder<?> complete(
      Outbox.DispatchingBuilder<?> builder, EventListener listener) {
    return builder
        .connectionProvider(database)
        .txContext(tx)
        .outboxStore(store)
        .listenerRegistry(
            new DefaultListenerRegistry()
                .registerDefault(
                    event -> {
                      threads.add(Thread.currentThread());
                      return listener.onEvent(event);
                    }));
  }

  private void write(Outbox outbox, int count) {
    List<EventEnvelope> events =
        IntStream.range(0, count).mapToObj(i -> Events.event("e" + i)).toList();
    tx.run(() -> outbox.writer().writeAll(events));
  }

  private static boolean isVirtual(Thread thread) {
    try {
      return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  static Stream<Supplier<Outbox.DispatchingBuilder<?>>> modes() {
    return Stream.of(
        Outbox::singleNode,
        () -> Outbox.multiNode().claimLocking(Duration.ofMinutes(5)),
        Outbox::ordered);
  }

  @ParameterizedTest
  @MethodSource("modes")
  @EnabledForJreRange(min = JRE.JAVA_21)
  void listenersRunOnVirtualThreadsIfAsked(Supplier<Outbox.DispatchingBuilder<?>> mode) {
    try (Outbox outbox =
        complete(mode.get(), event -> null).intervalMs(10).virtualThreads(true).build()) {
      write(outbox, 100);
      await().until(() -> store.count(EventStatus.DONE) == 100);
    }
    assertThat(threads)
        .isNotEmpty()
        .allMatch(VirtualThreadsTest::isVirtual)
        .allMatch(Thread::isDaemon)
        .allMatch(thread -> thread.getName().matches("outbox-worker-[1-4]"));
    await().until(() -> threads.stream().noneMatch(Thread::isAlive));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void theyAreNotUsedUnlessAsked() {
    try (Outbox outbox = complete(Outbox.singleNode(), event -> null).build()) {
      write(outbox, 1);
      await().until(() -> store.count(EventStatus.DONE) == 1);
    }
    assertThat(threads).singleElement().matches(thread -> !isVirtual(thread));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void manyMoreListenersWaitAtTheSameTimeThanThereAreProcessors() {
    CountDownLatch all = new CountDownLatch(500);
    Outbox.DispatchingBuilder<?> builder =
        complete(
            Outbox.singleNode().workerCount(500),
            event -> {
              all.countDown();
              all.await();
              return null;
            });
    try (Outbox outbox = builder.virtualThreads(true).build()) {
      write(outbox, 500);
      await().until(() -> store.count(EventStatus.DONE) == 500);
    }
    assertThat(threads).hasSize(500);
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void R15_aListenerThatDoesNotComeBackIsInterruptedAtTheEnd() {
    CountDownLatch started = new CountDownLatch(1);
    AtomicInteger interrupts = new AtomicInteger();
    Outbox outbox =
        complete(
                Outbox.singleNode(),
                event -> {
                  started.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    interrupts.incrementAndGet();
                    throw e;
                  }
                  return null;
                })
            .drainTimeoutMs(50)
            .virtualThreads(true)
            .build();
    write(outbox, 1);
    await().until(() -> started.getCount() == 0);
    outbox.close();

    assertThat(interrupts).hasValue(1);
    assertThat(store.status("e0")).isEqualTo(EventStatus.NEW);
    assertThat(threads).singleElement().matches(thread -> !thread.isAlive());
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void aThreadThatTakesThePlaceOfAStuckOneIsVirtualToo() {
    CountDownLatch release = new CountDownLatch(1);
    Outbox.DispatchingBuilder<?> builder =
        complete(
            Outbox.singleNode()
                .workerCount(1)
                .listenerTimeout(Duration.ofSeconds(3)) // the second call is quicker
                .retryPolicy(attempts -> 1),
            event -> {
              if (threads.size() == 1) {
                boolean stuck = true;
                while (stuck) {
                  try {
                    release.await();
                    stuck = false;
                  } catch (InterruptedException e) {
                    // does not yield
                  }
                }
              }
              return null;
            });
    try (Outbox outbox = builder.virtualThreads(true).build()) {
      write(outbox, 1);
      await().until(() -> store.count(EventStatus.DONE) == 1);
      release.countDown();
    }
    assertThat(threads).hasSize(2).allMatch(VirtualThreadsTest::isVirtual);
  }

  @ParameterizedTest
  @MethodSource("modes")
  @EnabledForJreRange(max = JRE.JAVA_20)
  void R17_onAnOlderJavaTheyAreRefused(Supplier<Outbox.DispatchingBuilder<?>> mode) {
    Outbox.DispatchingBuilder<?> builder =
        complete(mode.get(), event -> null).autoStart(false).virtualThreads(true);

    assertThatIllegalStateException()
        .isThrownBy(builder::build)
        .withMessageContaining("virtualThreads needs Java 21 or later, but this is Java ")
        .withMessageContaining(": run on a newer one, or leave it off");
    builder.virtualThreads(false).build().close();
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void R17_onAnOlderJavaTheDispatcherRefusesThemToo() {
    OutboxDispatcher.Builder builder =
        OutboxDispatcher.builder()
            .connectionProvider(database)
            .outboxStore(store)
            .listenerRegistry(new DefaultListenerRegistry())
            .virtualThreads(true);

    assertThatIllegalStateException()
        .isThrownBy(builder::build)
        .withMessageContaining("virtualThreads needs Java 21 or later");
  }
}
