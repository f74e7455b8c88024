package io.outbox.nats;

import io.outbox.OutageException;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** All answers still to come: none waits for ever. Thread-safe. */
final class Answers {

  private static final Logger LOG = PrintableLogger.of(NatsPublisher.class);
  private static final long CHECKS_PER_TIMEOUT = 20;

  private final Duration timeout;
  private final Set<Answer> open = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(new DaemonThreadFactory("outbox-nats-timeouts-"));

  Answers(Duration timeout) {
    this.timeout = timeout;
  }

  void start() {
    long nanos = Math.max(1_000_000, timeout.toNanos() / CHECKS_PER_TIMEOUT);
    timer.scheduleWithFixedDelay(this::endOverdue, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  Answer expect(String eventId) {
    Answer answer = new Answer(eventId);
    open.add(answer);
    answer.future().whenComplete((result, failure) -> open.remove(answer));
    return answer;
  }

  private void endOverdue() {
    try {
      for (Answer answer : open) {
        if (answer.ageNanos() > timeout.toNanos()) {
          answer.outage(
              "NATS did not acknowledge event " + answer.eventId() + " within " + timeout, null);
        }
      }
    } catch (Throwable e) {
      LOG.log(Level.ERROR, "the timeouts go on after an unexpected failure", e);
    }
  }

  void failAll(OutageException reason) {
    open.forEach(answer -> answer.fail(reason));
  }

  /** Waits for all, at most the timeout. */
  void await() {
    CompletableFuture<?>[] futures =
        open.stream().map(Answer::future).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(futures).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "closed with messages that failed or were not acknowledged", e);
    }
  }

  void close(OutageException reason) {
    timer.shutdownNow();
    failAll(reason);
  }
}
