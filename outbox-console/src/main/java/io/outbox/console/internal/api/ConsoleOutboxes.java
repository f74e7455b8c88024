package io.outbox.console.internal.api;

import com.google.gson.JsonArray;
import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.live.Jobs;
import io.outbox.console.internal.live.LiveOverview;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.operate.OutboxOperator;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** All outboxes of a console, and the threads that work for them. */
public final class ConsoleOutboxes implements AutoCloseable {

  /** How many pages may watch. */
  public static final int MAX_VIEWERS = 32;

  /** Some end while others begin. */
  public static final int MAX_STREAMS = MAX_VIEWERS + 4;

  private static final int JOBS_AT_ONCE = 2;
  private static final int JOBS_WAITING = 8;
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final Map<String, ConsoleOutbox> byName = new LinkedHashMap<>();
  private final Duration refresh;
  private final ScheduledExecutorService clock;
  private final ExecutorService jobs;

  /**
   * @param archives of outboxes that have one, by the names of their operators
   */
  public ConsoleOutboxes(
      Map<String, OutboxOperator> operators, Map<String, EventArchive> archives, Duration refresh) {
    this.refresh = refresh;
    int clocks = Math.min(4, operators.size());
    this.clock = Executors.newScheduledThreadPool(clocks, threads("outbox-console-refresh"));
    this.jobs =
        new ThreadPoolExecutor(
            JOBS_AT_ONCE,
            JOBS_AT_ONCE,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(JOBS_WAITING),
            threads("outbox-console-job"));
    Semaphore seats = new Semaphore(MAX_VIEWERS);
    operators.forEach(
        (name, operator) -> byName.put(name, outbox(name, operator, archives.get(name), seats)));
  }

  private ConsoleOutbox outbox(
      String name, OutboxOperator operator, EventArchive archive, Semaphore seats) {
    LiveOverview live = new LiveOverview(name, operator, refresh, seats, OverviewJson::of);
    Jobs own = new Jobs(jobs, job -> live.broadcast("job", job.toJson()));
    return new ConsoleOutbox(name, operator, archive, live, own);
  }

  /** Begins to refresh; nothing is asked before somebody looks. */
  public void start() {
    for (ConsoleOutbox outbox : byName.values()) {
      clock.scheduleWithFixedDelay(
          outbox.live()::tick, 0, refresh.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  Duration refresh() {
    return refresh;
  }

  ConsoleOutbox find(String name) {
    ConsoleOutbox outbox = byName.get(name);
    if (outbox == null) {
      throw HttpFailure.notFound(
          "There is no outbox '" + name + "', only " + byName.keySet() + ".");
    }
    return outbox;
  }

  JsonArray names() {
    JsonArray names = new JsonArray();
    byName.keySet().forEach(names::add);
    return names;
  }

  /** Threads that keep no process alive. */
  public static ThreadFactory threads(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Nobody may watch until {@link #resume}. */
  public void suspend() {
    byName.values().forEach(outbox -> outbox.live().suspend());
  }

  public void resume() {
    byName.values().forEach(outbox -> outbox.live().resume());
  }

  /** Bulk actions end after the batch they are at. */
  @Override
  public void close() {
    clock.shutdownNow();
    byName.values().forEach(ConsoleOutbox::close);
    jobs.shutdown();
    try {
      if (!jobs.awaitTermination(CLOSING.toMillis(), TimeUnit.MILLISECONDS)) {
        jobs.shutdownNow();
      }
    } catch (InterruptedException e) {
      jobs.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
