package io.outbox.relay;

import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/** Closes what takes a while, all at the same time. */
final class Concurrently {

  private static final Logger LOG = PrintableLogger.of(Concurrently.class);

  private Concurrently() {}

  /** Returns when all have ended, each of which is bounded by itself. */
  static void close(List<? extends AutoCloseable> all) {
    List<Thread> threads = new ArrayList<>();
    for (AutoCloseable one : all) {
      Thread thread = new Thread(() -> close(one), "relay-close");
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void close(AutoCloseable one) {
    try {
      one.close();
    } catch (Exception e) {
      LOG.log(Level.WARNING, () -> "could not be closed: " + e, e);
    }
  }
}
