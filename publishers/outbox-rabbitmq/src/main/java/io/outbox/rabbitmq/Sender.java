package io.outbox.rabbitmq;

import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.internal.publish.Answers;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Publishes on its own thread: a write to a broker that does not read may hang, and must not hold
 * up the workers. A second thread sees to it that none waits for ever.
 */
final class Sender {

  private static final Logger LOG = PrintableLogger.of(RabbitMqPublisher.class);
  private static final int MAX_WAITING = 10_000;

  private final Duration timeout;
  private final Connector connector;
  private final Quarantine quarantine;
  private final BlockingQueue<Outgoing> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final Answers answers;
  private final Thread thread;
  private volatile boolean closing;
  private volatile boolean stopped;

  Sender(Connector connector, Quarantine quarantine, Duration timeout) {
    this.connector = connector;
    this.quarantine = quarantine;
    this.timeout = timeout;
    this.answers = new Answers("RabbitMQ", timeout, LOG);
    this.thread = new DaemonThreadFactory("outbox-rabbitmq-sender-").newThread(this::run);
  }

  void start() {
    thread.start();
    answers.startTimeouts("outbox-rabbitmq-timeouts-", () -> connector.loseIfSilentFor(timeout));
  }

  /** Never waits. */
  CompletionStage<DispatchResult> send(Outgoing message) {
    OutageException outage = closing ? Answers.closed() : connector.outage();
    if (outage != null) {
      return CompletableFuture.failedFuture(outage);
    }
    answers.expect(message.answer());
    enqueue(message);
    return message.answer().future();
  }

  private void enqueue(Outgoing message) {
    if (!waiting.offer(message)) {
      message.answer().full();
    }
    if (stopped) {
      message.fail(Answers.closed()); // nobody comes for it any more
    }
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

  /** Waits for what is in flight, at most as long as a confirm may take. */
  void close() {
    closing = true;
    answers.await();
    stopped = true;
    thread.interrupt();
    connector.close();
    answers.close();
  }
}
