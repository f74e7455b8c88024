package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/** When delivery starts, when it stops, and what becomes of the events meanwhile. */
@ExtendWith(OutputCaptureExtension.class)
class LifecycleTest {

  private final ApplicationContextRunner runner = Outboxes.runner();

  /** Registers its listener as late as a bean can. */
  @Configuration(proxyBeanMethods = false)
  static class LateListener {
    @Bean
    RecordingListener listener() {
      return new RecordingListener();
    }

    @Bean
    SmartInitializingSingleton registration(
        DefaultListenerRegistry registry, RecordingListener listener, Outbox outbox) {
      return () -> {
        assertThat(outbox.isRunning()).isFalse();
        registry.registerDefault(listener);
      };
    }
  }

  @Test
  void R1_eventsOfAnEarlierRunAreDeliveredAfterARestartHoweverLateTheirListenerIsRegistered() {
    String url = "spring.datasource.url=" + Outboxes.inMemory();
    runner
        .withPropertyValues(url, "outbox.mode=writer-only")
        .run(
            context -> {
              for (int i = 0; i < 200; i++) {
                Outboxes.write(context, "OrderPlaced", "{}");
              }
            });
    for (String mode : List.of("single-node", "multi-node", "ordered")) {
      runner
          .withUserConfiguration(LateListener.class)
          .withPropertyValues(
              url,
              "outbox.mode=" + mode,
              "outbox.claim-locking.enabled=true",
              "outbox.poller.interval-ms=1")
          .run(
              context -> {
                Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 200));
                assertThat(context.getBean(RecordingListener.class).count()).isEqualTo(200);
                resetAll(context);
              });
    }
  }

  private static void resetAll(ConfigurableApplicationContext context) {
    context.getBean(Outbox.class).stop();
    context
        .getBean(JdbcTemplate.class)
        .update("UPDATE outbox_event SET status = 0, done_at = NULL");
  }

  /** Writes an event while the application is still being put together. */
  @Configuration(proxyBeanMethods = false)
  @Import(LateListener.class)
  static class EarlyWriter {
    @Bean
    Object earlyEvent(ConfigurableApplicationContext context) {
      Outboxes.write(context, "Starting", "{}");
      return "written";
    }
  }

  @Test
  void R1_eventsWrittenWhileTheApplicationStartsAreDeliveredWhenItIsUp() {
    runner
        .withUserConfiguration(EarlyWriter.class)
        .run(
            context -> {
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
              assertThat(context.getBean(RecordingListener.class).count()).isOne();
            });
  }

  /** Notes when it is started and stopped, and whether the outbox is running then. */
  static final class Neighbor implements SmartLifecycle {
    private final Outbox outbox;
    private final int phase;
    final List<String> notes = new ArrayList<>();
    private boolean running;

    Neighbor(Outbox outbox, int phase) {
      this.outbox = outbox;
      this.phase = phase;
    }

    @Override
    public void start() {
      notes.add("started, outbox running: " + outbox.isRunning());
      running = true;
    }

    @Override
    public void stop() {
      notes.add("stopped, outbox running: " + outbox.isRunning());
      running = false;
    }

    @Override
    public boolean isRunning() {
      return running;
    }

    @Override
    public int getPhase() {
      return phase;
    }
  }

  /** Where listener containers and the like are, and where a bean is that names no phase. */
  @ParameterizedTest
  @ValueSource(ints = {SmartLifecycle.DEFAULT_PHASE - 1, SmartLifecycle.DEFAULT_PHASE})
  void theOutboxIsTheLastToStartAndTheFirstToStop(int phase) {
    List<String> notes = new ArrayList<>();
    runner
        .withBean(Neighbor.class, phase)
        .run(
            context -> {
              Neighbor neighbor = context.getBean(Neighbor.class);
              assertThat(context.getBean(Outbox.class).isRunning()).isTrue();
              context.close();
              notes.addAll(neighbor.notes);
            });
    assertThat(notes)
        .containsExactly("started, outbox running: false", "stopped, outbox running: false");
  }

  @Configuration(proxyBeanMethods = false)
  static class Listening {
    @Bean
    RecordingListener listener(DefaultListenerRegistry registry) {
      RecordingListener listener = new RecordingListener();
      registry.registerDefault(listener);
      return listener;
    }
  }

  @Test
  void theContextCanBeStoppedAndStartedAgain() {
    runner
        .withUserConfiguration(Listening.class)
        .run(
            context -> {
              RecordingListener listener = context.getBean(RecordingListener.class);
              Outboxes.write(context, "OrderPlaced", "1");
              listener.awaitCount(1, Outboxes.SOON);

              context.getSourceApplicationContext(ConfigurableApplicationContext.class).stop();
              assertThat(context.getBean(Outbox.class).isRunning()).isFalse();
              Outboxes.write(context, "OrderPlaced", "2");
              assertThat(Outboxes.counts(context))
                  .isEqualTo(Map.of(EventStatus.DONE, 1, EventStatus.NEW, 1));

              context.getSourceApplicationContext(ConfigurableApplicationContext.class).start();
              Outboxes.write(context, "OrderPlaced", "3");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 3));
              assertThat(listener.count()).isEqualTo(3);
            });
  }

  @Configuration(proxyBeanMethods = false)
  @JdbcApplication
  @Import(SlowListener.class)
  static class SlowApplication {}

  @OutboxListener("OrderPlaced")
  static class SlowListener implements EventListener {
    static volatile CountDownLatch started;
    static volatile CountDownLatch released;

    @Override
    public DispatchResult onEvent(EventEnvelope event) throws Exception {
      started.countDown();
      assertThat(released.await(60, TimeUnit.SECONDS)).isTrue();
      return DispatchResult.done();
    }
  }

  private static ConfigurableApplicationContext start(String url, String... properties) {
    return new SpringApplicationBuilder(SlowApplication.class)
        .web(WebApplicationType.NONE)
        .properties("spring.datasource.url=" + url)
        .properties(properties)
        .run();
  }

  @Test
  void R15_closingTheApplicationLetsQueuedEventsBeDelivered() throws Exception {
    SlowListener.started = new CountDownLatch(1);
    SlowListener.released = new CountDownLatch(1);
    String url = Outboxes.inMemory();
    ConfigurableApplicationContext app =
        start(url, "outbox.dispatcher.worker-count=1", "outbox.dispatcher.drain-timeout-ms=20000");
    for (int i = 0; i < 20; i++) {
      Outboxes.write(app, "OrderPlaced", "{}");
    }
    assertThat(SlowListener.started.await(60, TimeUnit.SECONDS)).isTrue();
    Outbox outbox = app.getBean(Outbox.class);
    Thread closing = new Thread(app::close);
    closing.start();
    Await.until("closing", Outboxes.SOON, () -> !outbox.isRunning());
    SlowListener.released.countDown();
    closing.join(Outboxes.SOON.toMillis());

    try (ConfigurableApplicationContext again = start(url, "outbox.mode=writer-only")) {
      assertThat(Outboxes.counts(again)).isEqualTo(Map.of(EventStatus.DONE, 20));
    }
  }

  @Test
  void R15_drainingEndsBeforeSpringLosesItsPatience(CapturedOutput output) throws Exception {
    String url = Outboxes.inMemory();
    int written = 0;
    String said;
    do { // a busy machine may be late once
      said = closeWhileAListenerIsStuck(url, output);
      written++;
    } while (said.contains("Shutdown phase") && written < 3);
    assertThat(said).doesNotContain("did not stop").doesNotContain("Shutdown phase");
    SlowListener.released.countDown();
    try (ConfigurableApplicationContext again = start(url)) {
      Outboxes.awaitCounts(again, Map.of(EventStatus.DONE, written));
    }
  }

  /** Returns what was logged meanwhile. */
  private static String closeWhileAListenerIsStuck(String url, CapturedOutput output)
      throws Exception {
    SlowListener.started = new CountDownLatch(1);
    SlowListener.released = new CountDownLatch(1);
    ConfigurableApplicationContext app =
        start(
            url,
            "outbox.dispatcher.drain-timeout-ms=600000",
            "spring.lifecycle.timeout-per-shutdown-phase=3s");
    assertThat(output).contains("events will be drained for at most 2000 ms");
    Outboxes.write(app, "OrderPlaced", "{}");
    assertThat(SlowListener.started.await(60, TimeUnit.SECONDS)).isTrue();
    int before = output.length();
    app.close(); // interrupts the listener, which would wait for ever
    return output.subSequence(before, output.length()).toString();
  }

  @Test
  void anApplicationCanBeClosedAndStartedAnewInTheSameJvm() {
    String url = Outboxes.inMemory();
    SlowListener.started = new CountDownLatch(1);
    SlowListener.released = new CountDownLatch(0);
    for (int run = 1; run <= 3; run++) {
      try (ConfigurableApplicationContext app = start(url)) {
        Outboxes.write(app, "OrderPlaced", "{}");
        Outboxes.awaitCounts(app, Map.of(EventStatus.DONE, run));
      }
      Await.until("the threads to end", Outboxes.SOON, () -> !anyThreadOfAnOutboxIsAlive());
    }
  }

  private static boolean anyThreadOfAnOutboxIsAlive() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("outbox-"));
  }

  @Test
  void anApplicationThatFailsToStartDeliversNothing() {
    String url = "spring.datasource.url=" + Outboxes.inMemory();
    runner
        .withPropertyValues(url, "outbox.mode=writer-only")
        .run(context -> Outboxes.write(context, "OrderPlaced", "{}"));
    RecordingListener listener = new RecordingListener();
    runner
        .withPropertyValues(url)
        .withBean("failing", SmartInitializingSingleton.class, () -> failing(listener))
        .run(context -> assertThat(context).hasFailed());
    assertThat(listener.count()).isZero();
    runner
        .withPropertyValues(url, "outbox.mode=writer-only")
        .run(context -> assertThat(Outboxes.counts(context)).isEqualTo(Map.of(EventStatus.NEW, 1)));
  }

  private static SmartInitializingSingleton failing(RecordingListener listener) {
    return () -> {
      throw new IllegalStateException("this application cannot start: " + listener);
    };
  }

  @Test
  void inWriterOnlyListenersAreNotCalledAndThatIsLogged(CapturedOutput output) {
    start(Outboxes.inMemory(), "outbox.mode=writer-only", "outbox.claim-locking.enabled=true")
        .close();

    assertThat(output)
        .contains("1 outbox listeners are never called in the mode writer-only")
        .contains("outbox.claim-locking.enabled has no effect in the mode writer-only");
  }
}
