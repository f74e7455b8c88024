package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** JVMs that write events by key and deliver them, with listeners that fail now and then. */
final class OrderedCluster implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long LOOK_NANOS = 100_000_000;

  final Scenario scenario;
  final Random random;
  private final String what;
  private final Path directory;
  private final int keys;
  private final long startNanos = System.nanoTime();
  private final List<OrderedProcess> processes = new ArrayList<>();

  OrderedCluster(TestDatabase kind, Path directory, int keys) throws IOException {
    long seed = ThreadLocalRandom.current().nextLong();
    this.what = "%s, %d keys, seed %d".formatted(kind, keys, seed);
    this.random = new Random(seed);
    this.directory = Files.createTempDirectory(directory, "cluster");
    this.keys = keys;
    System.out.println(what);
    this.scenario = Scenario.orderedByKeyOn(kind);
    KeyWriters.createLocks(scenario.pool, keys);
  }

  OrderedProcess start() throws Exception {
    OrderedProcess process =
        new OrderedProcess(
            scenario.database, directory, "node-" + processes.size(), random.nextLong(), keys);
    processes.add(process);
    return process;
  }

  /** One of those that run. */
  OrderedProcess any() {
    List<OrderedProcess> running = running();
    return running.get(random.nextInt(running.size()));
  }

  private List<OrderedProcess> running() {
    return processes.stream().filter(OrderedProcess::isAlive).toList();
  }

  /** Waits until so many events are done. */
  void awaitDone(int count) {
    Await.until(
        count + " events to be done",
        PATIENCE,
        () -> {
          LockSupport.parkNanos(LOOK_NANOS);
          return scenario.count(EventStatus.DONE) >= count;
        });
  }

  /** Lets all write until there are so many events, and deliver all; then proves the order. */
  void finish(int events) throws Exception {
    try {
      awaitDone(events);
      for (OrderedProcess process : running()) {
        process.stopWriting();
      }
      scenario.awaitFinished(PATIENCE);
      for (OrderedProcess process : running()) {
        process.end();
      }
      KeyOrder order = KeyHistory.check(scenario.query(KeyHistory.EVENTS), processes);
      System.out.printf(
          "  %s, %d takeovers of lanes, %.1f s%n",
          order.summary(), takeovers(), (System.nanoTime() - startNanos) / 1e9);
      order.assertHolds();
      assertAttemptsAreFailures();
    } catch (AssertionError e) {
      processes.forEach(process -> System.out.println(process.node + ":\n" + process.output()));
      throw new AssertionError(what + ": " + e.getMessage(), e);
    }
  }

  /** How often a lane was taken that its owner had not given back. */
  int takeovers() {
    return processes.stream().mapToInt(process -> process.journal().takenOver().size()).sum();
  }

  /** The end of a process, or of a lease, is no failure of an event. */
  private void assertAttemptsAreFailures() {
    Map<String, Integer> failures = new HashMap<>();
    for (OrderedProcess process : processes) {
      process.journal().calls().stream()
          .filter(call -> !call.succeeded() && call.end() != null)
          .forEach(call -> failures.merge(call.eventId(), 1, Integer::sum));
    }
    assertThat(scenario.query("SELECT event_id, attempts FROM outbox_event WHERE attempts > 0"))
        .allSatisfy(
            row ->
                assertThat(((Number) row.get(1)).intValue())
                    .as("attempts of %s", row.get(0))
                    .isLessThanOrEqualTo(failures.getOrDefault(row.get(0), 0)));
  }

  @Override
  public void close() {
    processes.forEach(OrderedProcess::close);
    scenario.close();
  }
}
