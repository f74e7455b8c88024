package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.model.EventStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Writers, a poller that never rests and workers, on queues that are too small. */
class EngineStressTest {

  private static final int WRITERS = 4;

  private final Engine engine = new Engine();
  private final ConcurrentLinkedQueue<String> committed = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() throws Exception {
    threads.shutdownNow();
    engine.close();
  }

  private void start(boolean claiming, boolean cursor, boolean rowCheck) {
    engine.store.learned = cursor;
    engine
        .dispatcherSettings
        .workerCount(3)
        .hotQueueCapacity(8)
        .coldQueueCapacity(6)
        .maxQueuedBytes(10_000)
        .retryPolicy(attempts -> 1)
        .maxAttempts(1_000)
        .checkRowsBeforeHotDelivery(rowCheck);
    engine.pollerSettings.intervalMs(1).batchSize(7);
    if (claiming) {
      engine.claiming(Duration.ofMinutes(5));
    }
    engine.start();
  }

  private void writeAll(long seed, int batches) throws Exception {
    List<Future<?>> writers = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      Random random = new Random(seed + w);
      String prefix = "w" + w + "-";
      writers.add(threads.submit(() -> write(prefix, batches, random)));
    }
    for (Future<?> writer : writers) {
      writer.get(120, TimeUnit.SECONDS);
    }
  }

  private void write(String prefix, int batches, Random random) {
    for (int batch = 0; batch < batches; batch++) {
      List<EventEnvelope> events =
          Events.events(prefix + batch + "-", 1 + random.nextInt(4)).toList();
      engine.tx.begin();
      engine.writer().writeAll(events);
      if (random.nextInt(10) == 0) {
        engine.tx.rollback();
      } else {
        events.forEach(event -> committed.add(event.eventId()));
        List<Runnable> callbacks = engine.tx.commitWithoutCallbacks();
        if (random.nextInt(3) == 0) {
          Thread.yield(); // a poll may be first
        }
        callbacks.forEach(Runnable::run);
      }
    }
  }

  @ParameterizedTest(name = "claiming {0}, cursor {1}, row check {2}")
  @CsvSource({
    "false, true, false",
    "false, false, false",
    "true, true, false",
    "true, false, true",
    "false, true, true"
  })
  void R3_withoutFailuresEveryCommittedEventIsDeliveredOnce(
      boolean claiming, boolean cursor, boolean rowCheck) throws Exception {
    long seed = System.nanoTime();
    System.out.println("EngineStressTest seed " + seed);
    start(claiming, cursor, rowCheck);
    writeAll(seed, 150);

    await()
        .atMost(Duration.ofSeconds(120))
        .until(() -> engine.store.count(EventStatus.DONE) == committed.size());
    assertThat(engine.delivered()).containsExactlyInAnyOrderElementsOf(committed);
    await().until(() -> engine.metrics.count("success") == committed.size());
    assertThat(engine.store.rows()).hasSize(committed.size());
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R1_withFailuresEveryCommittedEventIsDelivered(boolean claiming) throws Exception {
    long seed = System.nanoTime();
    System.out.println("EngineStressTest seed " + seed);
    start(claiming, true, false);
    AtomicInteger calls = new AtomicInteger();
    engine.listener(
        event -> {
          if (calls.incrementAndGet() % 7 == 0) {
            throw new StackOverflowError("injected");
          }
          return calls.get() % 11 == 0 ? DispatchResult.retryAfter(Duration.ofMillis(1)) : null;
        });
    AtomicInteger statements = new AtomicInteger();
    for (String method : List.of("recordOutcomes", "fetchPending", "renewLeases")) {
      engine.store.before(
          method,
          argument -> {
            int number = statements.incrementAndGet();
            if (number % 5 == 0) {
              throw new IllegalStateException(
                  new SQLException("injected", number % 2 == 0 ? "08006" : "40001"));
            }
            if (number % 17 == 0) {
              throw new NoClassDefFoundError("injected");
            }
          });
    }
    writeAll(seed, 50);

    await()
        .atMost(Duration.ofSeconds(120))
        .until(() -> engine.store.count(EventStatus.DONE) == committed.size());
    assertThat(engine.delivered()).containsAll(committed);
    await().until(() -> engine.metrics.count("success") == committed.size());
  }
}
