package io.outbox.internal.publish;

import io.outbox.OutageException;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** All answers of a broker that are still to come: none is waited for forever. Thread-safe. */
public final class Answers {

  private static final long CHECKS_PER_TIMEOUT = 20;

  private final String broker;
  private final Duration timeout;
  private final Logger log;
  private final Set<Answer> open = ConcurrentHashMap.newKeySet();
  private volatile ScheduledExecutorService timer; // null: the client itself ends what is overdue

  public Answers(String broker, Duration timeout, Logger log) {
    this.broker = Objects.requireNonNull(broker, "broker");
    this.timeout = Objects.requireNonNull(timeout, "timeout");
    this.log = Objects.requireNonNull(log, "log");
  }

  /** For what comes after the end. */
  public static OutageException closed() {
    return new OutageException("the publisher was closed");
  }

  /**
   * Ends overdue answers from now on, on a separate thread.
   *
   * @param afterwards called when there were any
   */
  public void startTimeouts(String threadPrefix, Runnable afterwards) {
    long nanos = Math.max(1_000_000, timeout.toNanos() / CHECKS_PER_TIMEOUT);
    timer = Executors.newSingleThreadScheduledExecutor(new DaemonThreadFactory(threadPrefix));
    timer.scheduleWithFixedDelay(() -> endOverdue(afterwards), nanos, nanos, TimeUnit.NANOSECONDS);
  }

  /** Waits for this one too. */
  public Answer expect(Answer answer) {
    open.add(answer);
    answer.future().whenComplete((result, failure) -> open.remove(answer));
    return answer;
  }

  private void endOverdue(Runnable afterwards) {
    try {
      boolean any = false;
      for (Answer answer : open) {
        if (answer.isOlderThan(timeout)) {
          any = true;
          answer.overdue(broker, timeout);
        }
      }
      if (any) {
        afterwards.run();
      }
    } catch (Throwable e) {
      log.log(Level.ERROR, "the timeouts go on after an unexpected failure", e);
    }
  }

  public void failAll(OutageException reason) {
    open.forEach(answer -> answer.fail(reason));
  }

  /** Waits for all, at most the timeout. */
  public void await() {
    CompletableFuture<?>[] futures =
        open.stream().map(Answer::future).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(futures).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.DEBUG, "closed with events that failed or were not acknowledged", e);
    }
  }

  /** Fails all that are left. */
  public void close() {
    if (timer != null) {
      timer.shutdownNow();
    }
    failAll(closed());
  }
}
