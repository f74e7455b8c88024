package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Partitions are dropped beside writers and a node that delivers. */
@Timeout(300)
class RotationTest {

  private static final int WRITERS = 4;
  private static final int BATCHES = 160;
  private static final int BATCH = 5;
  private static final int PARTITION = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Duration AGAIN = Duration.ofMillis(200);

  /** The first batches of each writer wait until partitions were dropped. */
  private static final int LATE_BATCHES = 5;

  private static final String LATE = "late-";
  private static final long PAUSE_NANOS = 5_000_000;

  private static final String EVENTS =
      "SELECT event_id, seq, tableoid::regclass::text FROM outbox_event ORDER BY seq";

  enum Mode {
    SINGLE_NODE,
    MULTI_NODE,
    ORDERED_BY_KEY
  }

  private final PartitionRotation rotation =
      new PartitionRotation("outbox_event", PARTITION, 3, Duration.ofMillis(200));
  private final List<EventEnvelope> delivered = Collections.synchronizedList(new ArrayList<>());
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private volatile boolean released;
  private volatile boolean stopped;

  @TempDir Path directory;

  private DispatchResult deliver(EventEnvelope event) {
    if (!released && event.orderingKey().startsWith(LATE)) {
      return DispatchResult.retryAfter(AGAIN);
    }
    delivered.add(event);
    return DispatchResult.done();
  }

  private Scenario scenario() {
    Database database = TestDatabase.POSTGRES.fresh();
    rotation.create(database.dataSource());
    Scenario scenario = Scenario.on(database);
    OutboxSchema.createOrderedByKey(scenario.pool);
    scenario.registry.register(Scenario.TYPE, this::deliver);
    return scenario;
  }

  private static Outbox start(Scenario scenario, Mode mode) {
    return scenario.start(
        switch (mode) {
          case SINGLE_NODE -> scenario.singleNode();
          case MULTI_NODE -> scenario.multiNode(Duration.ofMinutes(5));
          case ORDERED_BY_KEY -> scenario.orderedByKey();
        });
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void R1_R3_rotationBesideWritersLosesDoublesAndReordersNothing(Mode mode) throws Exception {
    try (Scenario scenario = scenario()) {
      Outbox outbox = start(scenario, mode);
      Thread rotator = new Thread(() -> rotate(scenario), "rotator");
      rotator.start();
      List<String> written = write(scenario, outbox);
      awaitKeptBelow(scenario, 2 * PARTITION);
      released = true;
      awaitDelivered(written);
      stopped = true;
      rotator.join();

      check(scenario, written, mode == Mode.ORDERED_BY_KEY);
    }
  }

  @Test
  void R1_processesKilledInTheMiddleOfARotationLoseAndDoubleNothing() throws Exception {
    try (Scenario scenario = scenario()) {
      Outbox outbox = start(scenario, Mode.ORDERED_BY_KEY);
      List<String> written = write(scenario, outbox);
      Await.until(
          "all but the late events to be delivered",
          PATIENCE,
          () -> delivered.size() == written.size() - WRITERS * LATE_BATCHES * BATCH);
      for (RotatingProcess.Point point : RotatingProcess.Point.values()) {
        List<List<Object>> before = scenario.query(EVENTS);
        try (RotatingProcess process = new RotatingProcess(scenario.database, directory, point)) {
          process.killInTheMiddle();
        }
        assertThat(scenario.query(EVENTS)).isEqualTo(before);
        OutboxSchema.validate(scenario.pool);
      }
      Thread rotator = new Thread(() -> rotate(scenario), "rotator");
      rotator.start();
      awaitKeptBelow(scenario, 2 * PARTITION);
      released = true;
      awaitDelivered(written);
      stopped = true;
      rotator.join();

      check(scenario, written, true);
    }
  }

  private void rotate(Scenario scenario) {
    try (Connection conn = scenario.pool.getConnection()) {
      while (!stopped) {
        rotation.purge(conn, Instant.now().plusSeconds(3600), 100);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (Exception e) {
      failures.add(e);
    }
  }

  /** Each writer has its keys, so that their order is known. */
  private static List<String> write(Scenario scenario, Outbox outbox) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Future<List<String>>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        String writer = "writer-" + i;
        writers.add(
            threads.submit(
                () -> {
                  List<String> ids = new ArrayList<>();
                  for (int batch = 0; batch < BATCHES; batch++) {
                    String key = (batch < LATE_BATCHES ? LATE : "") + writer + "-" + batch % 3;
                    ids.addAll(scenario.write(outbox.writer(), events(key)));
                  }
                  return ids;
                }));
      }
      List<String> written = new ArrayList<>();
      for (Future<List<String>> writer : writers) {
        written.addAll(writer.get());
      }
      return written;
    } finally {
      threads.shutdownNow();
    }
  }

  private static List<EventEnvelope> events(String key) {
    return IntStream.range(0, BATCH)
        .mapToObj(
            i -> EventEnvelope.builder(Scenario.TYPE).orderingKey(key).payloadJson("{}").build())
        .toList();
  }

  private void awaitKeptBelow(Scenario scenario, long seq) {
    Await.until(
        "partitions to be dropped",
        PATIENCE,
        () -> {
          assertThat(failures).isEmpty();
          try (Connection conn = scenario.pool.getConnection()) {
            return rotation.status(conn).orElseThrow().keptBelow() > seq;
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private void awaitDelivered(List<String> written) {
    Await.until("all to be delivered", PATIENCE, () -> delivered.size() >= written.size());
  }

  private void check(Scenario scenario, List<String> written, boolean inOrder) {
    scenario.awaitFinished(PATIENCE);
    assertThat(failures).isEmpty();
    List<EventEnvelope> calls = List.copyOf(delivered);
    assertThat(calls.stream().map(EventEnvelope::eventId))
        .containsExactlyInAnyOrderElementsOf(written);
    if (inOrder) {
      Map<String, List<String>> byKey = new HashMap<>();
      calls.forEach(
          event ->
              byKey
                  .computeIfAbsent(event.orderingKey(), key -> new ArrayList<>())
                  .add(event.eventId()));
      // Each writer's ids are in the order of its keys.
      byKey.values().forEach(ids -> assertThat(written).containsSubsequence(ids));
    }
  }
}
