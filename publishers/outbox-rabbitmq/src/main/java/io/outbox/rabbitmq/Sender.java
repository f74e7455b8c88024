package io.outbox.rabbitmq;

import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Publishes on a thread of its own: a write to a broker that does not read may hang, and must not
 * hold up whoever has an event to deliver. A second thread sees to it that none waits for ever.
 */
final class Sender {

  private static final Logger LOG = PrintableLogger.of(RabbitMqPublisher.class);
  private static final int MAX_WAITING = 10_000;
  private static final Duration WHEN_FULL = Duration.ofMillis(100);
  private static final long CHECKS_PER_TIMEOUT = 20;

  private final Duration timeout;
  private final Connector connector;
  private final Quarantine quarantine;
  private final BlockingQueue<Outgoing> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Set<Outgoing> unanswered = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          new DaemonThreadFactory("outbox-rabbitmq-timeouts-"));
  private final Thread thread;
  private volatile boolean closing;
  private volatile boolean stopped;

  Sender(Connector connector, Quarantine quarantine, Duration timeout) {
    this.connector = connector;
    this.quarantine = quarantine;
    this.timeout = timeout;
    this.thread = new DaemonThreadFactory("outbox-rabbitmq-sender-").newThread(this::run);
  }

  void start() {
    thread.start();
    long nanos = Math.max(1_000_000, timeout.toNanos() / CHECKS_PER_TIMEOUT);
    timer.scheduleWithFixedDelay(this::endOverdue, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  /** Never waits. */
  CompletionStage<DispatchResult> send(Outgoing message) {
    OutageException outage = closing ? closed() : connector.outage();
    if (outage != null) {
      return CompletableFuture.failedFuture(outage);
    }
    unanswered.add(message);
    message.whenAnswered(() -> unanswered.remove(message));
    enqueue(message);
    return message.answer();
  }

  private void enqueue(Outgoing message) {
    if (!waiting.offer(message)) {
      message.answer(DispatchResult.retryAfter(WHEN_FULL));
    }
    if (stopped) {
      message.fail(closed()); // nobody comes for it any more
    }
  }

  private static OutageException closed() {
    return new OutageException("the publisher was closed");
  }

  private void run() {
    while (!stopped) {
      try {
        publish(waiting.take());
      } catch (InterruptedException e) {
        LOG.log(Level.DEBUG, "interrupted; goes on unless it was stopped");
      } catch (Throwable e) {
        LOG.log(Level.ERROR, "the sender goes on after an unexpected failure", e);
      }
    }
  }

  private void publish(Outgoing message) throws InterruptedException {
    if (message.isAnswered()) {
      return;
    }
    Session session = null;
    try {
      session = connector.session(this::enqueue);
      if (quarantine.holds(message)) {
        session.publishAlone(message, timeout);
      } else {
        session.publish(message);
      }
    } catch (OutageException e) {
      message.fail(e);
    } catch (IOException | ShutdownSignalException e) {
      OutageException outage = Refusal.outage(e);
      message.fail(outage);
      connector.lost(session, outage);
    } catch (RuntimeException | Error e) {
      message.fail(e);
      throw e;
    }
  }

  private void endOverdue() {
    try {
      boolean any = false;
      for (Outgoing message : unanswered) {
        if (message.isOlderThan(timeout)) {
          any = true;
          message.fail(
              new OutageException(
                  "RabbitMQ did not confirm event " + message.eventId() + " within " + timeout));
        }
      }
      if (any) {
        connector.loseIfSilentFor(timeout);
      }
    } catch (Throwable e) {
      LOG.log(Level.ERROR, "the timeouts go on after an unexpected failure", e);
    }
  }

  /** Waits for what is in flight, at most as long as a confirm may take. */
  void close() {
    closing = true;
    awaitAnswers();
    stopped = true;
    thread.interrupt();
    timer.shutdownNow();
    connector.close();
    unanswered.forEach(message -> message.fail(closed()));
  }

  private void awaitAnswers() {
    CompletableFuture<?>[] answers =
        unanswered.stream().map(Outgoing::answer).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(answers).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "closed with messages that failed or were not confirmed", e);
    }
  }
}
