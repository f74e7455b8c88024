package io.outbox.internal.signals;

import io.outbox.spi.ConnectionProvider;
import io.outbox.util.DaemonThreadFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Finds out whether a pool has a connection to spare: it must have two more at the same time, for
 * the engine and the application. A pool may block its caller, so a separate thread asks. For one
 * thread.
 */
public final class SpareConnections {

  private static final long BOUND_MILLIS = 1000;

  private final ConnectionProvider connections;
  private final ThreadFactory threads = new DaemonThreadFactory("outbox-spare-");
  private Thread asking;

  SpareConnections(ConnectionProvider connections) {
    this.connections = connections;
  }

  /** Waits for a bounded time; what it took it gives back. */
  boolean areThere() throws InterruptedException {
    if (asking != null && asking.isAlive()) {
      return false; // it still waits for what it was asked for the last time
    }
    Question question = new Question();
    asking = threads.newThread(question);
    asking.start();
    boolean there = false;
    try {
      there = question.answered.await(BOUND_MILLIS, TimeUnit.MILLISECONDS);
    } finally {
      if (!there) {
        question.giveUp();
        asking.interrupt();
      }
    }
    return there;
  }

  /** Once given up it keeps no connection to wait for another: that may be the pool's last. */
  private final class Question implements Runnable {
    private final CountDownLatch answered = new CountDownLatch(1);
    private volatile boolean givenUp;

    private void giveUp() {
      givenUp = true;
    }

    @Override
    public void run() {
      try (Connection one = connections.getConnection();
          Connection another = givenUp ? null : connections.getConnection()) {
        if (another != null) {
          answered.countDown();
        }
      } catch (SQLException | RuntimeException e) {
        // Then there are none.
      }
    }
  }
}
