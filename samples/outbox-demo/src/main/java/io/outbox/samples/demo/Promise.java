package io.outbox.samples.demo;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** What the story says must be true. */
final class Promise {

  private static final long PATIENCE_SECONDS = 20;

  private Promise() {}

  static void that(boolean kept, String promise) {
    if (!kept) {
      throw new BrokenPromiseException("it was told that " + promise + "; it is not so");
    }
  }

  static void soon(String promise, Callable<Boolean> kept) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!kept.call()) {
      that(System.nanoTime() - deadline < 0, promise + " within " + PATIENCE_SECONDS + " seconds");
      Thread.sleep(2);
    }
  }

  /** Waits for the next element. */
  static <T> T next(BlockingQueue<T> queue, String promise) throws InterruptedException {
    T next = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    that(next != null, promise + " within " + PATIENCE_SECONDS + " seconds");
    return next;
  }
}
