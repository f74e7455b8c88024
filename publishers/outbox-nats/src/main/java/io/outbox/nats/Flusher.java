package io.outbox.nats;

import io.nats.client.Connection;
import io.outbox.internal.publish.Answer;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Makes sure that what was published to core NATS has reached the server: after a number of
 * messages one ping, whose pong the server sends only when it has read all of them. One thread
 * waits for it, for all that were published meanwhile.
 */
final class Flusher {

  private static final Logger LOG = PrintableLogger.of(NatsPublisher.class);
  private static final int MAX_WAITING = 10_000;

  private record Published(Connection connection, String id, Answer answer) {}

  private final BlockingQueue<Published> waiting = new LinkedBlockingQueue<>();
  private final Thread thread = new DaemonThreadFactory("outbox-nats-flush-").newThread(this::run);
  private volatile boolean stopped;

  void start() {
    thread.start();
  }

  /** To be asked before publishing: there is no way back after that. */
  boolean isFull() {
    return waiting.size() >= MAX_WAITING;
  }

  /**
   * Answers when the server has it.
   *
   * @param id of the connection before it was published
   */
  void published(Connection connection, String id, Answer answer) {
    waiting.add(new Published(connection, id, answer));
  }

  private void run() {
    List<Published> batch = new ArrayList<>();
    while (!stopped) {
      try {
        batch.add(waiting.take());
        waiting.drainTo(batch);
        flush(batch);
      } catch (InterruptedException e) {
        LOG.log(Level.DEBUG, "interrupted; goes on unless it was stopped");
      } catch (Throwable e) {
        LOG.log(Level.ERROR, "flushing goes on after an unexpected failure", e);
        batch.forEach(published -> published.answer().fail(e));
      } finally {
        batch.clear();
      }
    }
  }

  private static void flush(List<Published> batch) {
    Connection connection = batch.get(batch.size() - 1).connection();
    try {
      connection.RTT();
    } catch (IOException | RuntimeException e) {
      batch.forEach(published -> published.answer().outage("NATS did not answer: " + e, e));
      return;
    }
    String id = Connector.id(connection);
    for (Published published : batch) {
      // A pong on a new connection says nothing about what was written to the old one.
      if (published.connection() == connection && published.id().equals(id)) {
        published.answer().done();
      } else {
        published.answer().outage("the connection to NATS was lost after publishing", null);
      }
    }
  }

  void close() {
    stopped = true;
    thread.interrupt();
  }
}
