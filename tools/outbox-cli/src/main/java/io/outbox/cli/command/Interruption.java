package io.outbox.cli.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, or another request to end: work sees it between two batches, and gets time to say how far
 * it came before the process ends.
 */
public final class Interruption implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 30;

  private final CountDownLatch workHasEnded = new CountDownLatch(1);
  private final Thread hook = new Thread(this::requestAndWait, "outbox-interruption");
  private final CountDownLatch request = new CountDownLatch(1);
  private volatile boolean requested;

  private Interruption() {}

  public static Interruption watch() {
    Interruption interruption = new Interruption();
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  public boolean isRequested() {
    return requested;
  }

  /** Waits for it; returns early if this thread is interrupted. */
  public void await() {
    try {
      request.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void requestAndWait() {
    requested = true;
    request.countDown();
    try {
      if (!workHasEnded.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("outbox: the last batch takes too long, its transaction is given up");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The work has ended. */
  @Override
  public void close() {
    workHasEnded.countDown();
    if (!requested) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException endingAlready) {
        requested = true;
      }
    }
  }
}
