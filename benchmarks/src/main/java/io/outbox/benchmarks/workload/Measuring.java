package io.outbox.benchmarks.workload;

import io.outbox.benchmarks.contestant.CommitTimes;
import io.outbox.benchmarks.contestant.Contestant;
import io.outbox.benchmarks.contestant.Measured;
import io.outbox.benchmarks.contestant.Setup;
import io.outbox.benchmarks.contestant.Tx;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Measures one contestant at one workload, on one database. */
final class Measuring {

  private static final int BYTES = 200;
  private static final int MOST_EVENTS = 2_000_000;
  private static final int START_MILLIS = 1_000;
  private static final int HELD_RATE = 500;
  private static final int WRITERS = 4;
  private static final int SLOW_MILLIS = 5;
  private static final int PAUSED_EVENTS = 100_000;

  private final Assignment task;
  private final Workload workload;
  private final CommitTimes commits = new CommitTimes();
  private final Setup setup;
  private final LongAdder deadlocks = new LongAdder();
  private final List<Double> heapMegabytes = new ArrayList<>();
  private long startNanos;
  private MachineUse machine;

  Measuring(Assignment task, String url) {
    this.task = task;
    this.workload = task.workload();
    this.setup =
        new Setup(
            task.database(),
            url,
            task.user(),
            task.password(),
            workload.inFlight(),
            workload == Workload.SLOW ? SLOW_MILLIS : 0,
            workload == Workload.LATENCY ? commits : null);
  }

  Measurement run() throws Exception {
    try (Contestant contestant = task.contestant().on(setup)) {
      contestant.prepare();
      businessTable();
      return switch (workload) {
        case DRAIN -> drain(contestant, task.events(), BYTES);
        case SLOW -> drain(contestant, task.events(), BYTES);
        case MEMORY -> drain(contestant, task.events(), 1_000);
        case MEMORY_LARGE -> drain(contestant, task.events(), 1_048_576);
        case GROWTH -> growth(contestant);
        case PAUSED -> paused(contestant);
        case HELD -> held(contestant);
        case STEADY -> steady(contestant);
        case LATENCY -> latency(contestant);
        case BATCH -> batch(contestant);
      };
    }
  }

  /** Or the server would clean up after this one while the next is measured. */
  void leaveNothingToDo() throws SQLException {
    setup.settle();
  }

  private void businessTable() throws SQLException {
    try (Connection conn = connect();
        Statement statement = conn.createStatement()) {
      statement.execute(
          "CREATE TABLE business_row (id INT NOT NULL PRIMARY KEY, note VARCHAR(100))");
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(setup.url(), setup.user(), setup.password());
  }

  // ---- drains

  private Measurement drain(Contestant contestant, int events, int bytes) throws Exception {
    contestant.fillWaiting(0, events, bytes);
    setup.settle();
    settleJvm();
    Arrivals arrivals =
        new Arrivals(
            events,
            false,
            workload == Workload.SLOW && !task.contestant().isAsync() ? SLOW_MILLIS : 0);
    begin();
    contestant.start(arrivals);
    if (contestant.startsFramework()) {
      begin();
    }
    awaitAll(contestant, arrivals, events);
    return result(contestant, arrivals, events, null);
  }

  /**
   * What filled the table leaves garbage, and work for the compilers: more of both the more rows
   * there are. Neither is the contestant's.
   */
  private static void settleJvm() throws InterruptedException {
    System.gc();
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    long before = -1;
    for (int i = 0; i < 50 && compilers.getTotalCompilationTime() != before; i++) {
      before = compilers.getTotalCompilationTime();
      Thread.sleep(200);
    }
  }

  private Measurement growth(Contestant contestant) throws Exception {
    contestant.fillFinished(task.finished());
    return drain(contestant, task.events(), BYTES);
  }

  private Measurement paused(Contestant contestant) throws Exception {
    contestant.fillPaused(Math.min(PAUSED_EVENTS, task.finished()));
    return drain(contestant, task.events(), BYTES);
  }

  private Measurement held(Contestant contestant) throws Exception {
    try (Connection holder = connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.executeUpdate("INSERT INTO business_row VALUES (-1, 'held')");
      statement.executeQuery("SELECT count(*) FROM business_row").close();
      int written = HELD_RATE * task.heldSeconds();
      Arrivals arrivals = new Arrivals(written, false, 0);
      contestant.start(arrivals);
      openLoop(contestant, written, HELD_RATE, new long[written]);
      begin();
      awaitAll(contestant, arrivals, written);
      contestant.stop();
      if (arrivals.distinct() < written) {
        return Measurement.failed(
            task.contestant(), workload, "does not keep up with %d events/s".formatted(HELD_RATE));
      }
      return drain(contestant, task.events(), BYTES);
    }
  }

  // ---- writers

  private Measurement steady(Contestant contestant) throws Exception {
    Arrivals arrivals = new Arrivals(MOST_EVENTS, false, 0);
    setup.settle();
    contestant.start(arrivals);
    AtomicInteger next = new AtomicInteger();
    begin();
    long end = startNanos + TimeUnit.SECONDS.toNanos(task.seconds());
    inParallel(
        WRITERS,
        writer -> {
          while (System.nanoTime() - end < 0) {
            write(contestant, next.getAndIncrement());
          }
        });
    int written = next.get();
    awaitAll(contestant, arrivals, written);
    return result(contestant, arrivals, written, null);
  }

  /**
   * As an application would, tries again when the database chose it as the victim of a deadlock.
   */
  private void write(Contestant contestant, int n) throws Exception {
    while (true) {
      try {
        contestant.transact(
            tx -> {
              businessRow(tx, n);
              tx.publish(Measured.of(n, BYTES));
            });
        return;
      } catch (Exception e) {
        if (!isDeadlock(e)) {
          throw e;
        }
        deadlocks.increment();
      }
    }
  }

  private static boolean isDeadlock(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql
          && sql.getSQLState() != null
          && sql.getSQLState().startsWith("40")) {
        return true;
      }
    }
    return false;
  }

  private static void businessRow(Tx tx, int n) throws Exception {
    try (PreparedStatement insert =
        tx.connection().prepareStatement("INSERT INTO business_row VALUES (?, 'x')")) {
      insert.setInt(1, n);
      insert.executeUpdate();
    }
  }

  private Measurement latency(Contestant contestant) throws Exception {
    int events = task.perSecond() * task.seconds();
    Arrivals arrivals = new Arrivals(events, true, 0);
    long[] committed = new long[events];
    setup.settle();
    contestant.start(arrivals);
    TimeUnit.MILLISECONDS.sleep(START_MILLIS); // a pool opens its connections meanwhile
    begin();
    openLoop(contestant, events, task.perSecond(), committed);
    awaitAll(contestant, arrivals, events);
    return result(contestant, arrivals, events, latencies(arrivals, committed));
  }

  /** Open loop: when an event is written does not depend on what became of the one before. */
  private void openLoop(Contestant contestant, int events, int perSecond, long[] committed)
      throws Exception {
    long start = System.nanoTime();
    inParallel(
        WRITERS,
        writer -> {
          for (int n = writer; n < events; n += WRITERS) {
            long at = start + n * TimeUnit.SECONDS.toNanos(1) / perSecond;
            for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
              LockSupport.parkNanos(left);
            }
            write(contestant, n);
            committed[n] = setup.commits() == null ? 0 : commits.last();
          }
        });
  }

  private static Measurement.Latency latencies(Arrivals arrivals, long[] committed) {
    double[] millis =
        IntStream.range(0, committed.length)
            .filter(n -> arrivals.nanos(n) != 0)
            .mapToDouble(n -> Math.max(0, arrivals.nanos(n) - committed[n]) / 1e6)
            .sorted()
            .toArray();
    return millis.length == 0
        ? null
        : new Measurement.Latency(
            percentile(millis, 50),
            percentile(millis, 95),
            percentile(millis, 99),
            millis[millis.length - 1]);
  }

  private static double percentile(double[] sorted, double percent) {
    return sorted[Math.max(1, (int) Math.ceil(percent / 100 * sorted.length)) - 1];
  }

  private Measurement batch(Contestant contestant) throws Exception {
    Arrivals arrivals = new Arrivals(MOST_EVENTS, false, 0);
    setup.settle();
    contestant.startWriting(arrivals);
    begin();
    int written = 0;
    while (elapsed() < task.seconds() && written + 100 <= MOST_EVENTS) {
      List<Measured> events =
          IntStream.range(written, written + 100).mapToObj(n -> Measured.of(n, BYTES)).toList();
      contestant.transact(tx -> tx.publishAll(events));
      written += 100;
    }
    double seconds = elapsed();
    MachineUse.Use use = machine.now();
    return measurement(contestant, arrivals, written, written, seconds, use, null);
  }

  // ---- the clock

  private void begin() {
    machine = new MachineUse(task.serverPid(), task.parentPid());
    startNanos = System.nanoTime();
  }

  private double elapsed() {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  /** Waits until all are delivered and finished in the database, or the time is up. */
  private void awaitAll(Contestant contestant, Arrivals arrivals, int events) throws Exception {
    long limit =
        task.limitSeconds()
            + (workload == Workload.STEADY || workload == Workload.LATENCY ? task.seconds() : 0L);
    while (arrivals.distinct() < events && elapsed() < limit) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      if (workload.isMemory() && arrivals.distinct() * 4L >= events * (heapMegabytes.size() + 1L)) {
        heapMegabytes.add(heapAfterCollection());
      }
    }
    while (elapsed() < limit && !contestant.isFinished()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
    if (workload.isMemory() && heapMegabytes.size() < 4) {
      heapMegabytes.add(heapAfterCollection());
    }
  }

  private Measurement result(
      Contestant contestant, Arrivals arrivals, int events, Measurement.Latency latency)
      throws Exception {
    double seconds = elapsed();
    MachineUse.Use use = machine.now();
    long finished = Math.max(0, events - contestant.unfinished());
    return measurement(contestant, arrivals, events, finished, seconds, use, latency);
  }

  private Measurement measurement(
      Contestant contestant,
      Arrivals arrivals,
      int events,
      long finished,
      double seconds,
      MachineUse.Use use,
      Measurement.Latency latency) {
    return new Measurement(
        task.contestant(),
        workload,
        contestant.settings(),
        events,
        seconds,
        finished / seconds,
        workload == Workload.BATCH ? 0 : events - arrivals.distinct(),
        arrivals.repeated(),
        deadlocks.sum(),
        latency,
        use.jvm() * 1e6 / Math.max(1, finished),
        use.server() * 1e6 / Math.max(1, finished),
        use.othersShare(),
        workload.isMemory() ? List.copyOf(heapMegabytes) : null,
        null);
  }

  /** What a collection leaves now. */
  private static double heapAfterCollection() {
    System.gc();
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
        .mapToDouble(pool -> pool.getCollectionUsage().getUsed() / 1e6)
        .sum();
  }

  // ---- threads

  @FunctionalInterface
  private interface Writer {
    void write(int number) throws Exception;
  }

  private static void inParallel(int count, Writer writer) throws Exception {
    AtomicReference<Exception> failure = new AtomicReference<>();
    Thread[] threads =
        IntStream.range(0, count)
            .mapToObj(
                number ->
                    new Thread(
                        () -> {
                          try {
                            writer.write(number);
                          } catch (Exception e) {
                            failure.compareAndSet(null, e);
                          }
                        },
                        "writer-" + number))
            .toArray(Thread[]::new);
    Arrays.stream(threads).forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw failure.get();
    }
  }
}
