package io.outbox.internal.time;

import io.outbox.internal.RepeatedWarning;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A daemon thread that repeats its work until it is closed. Nothing else ends it: it survives
 * whatever the work throws, and interrupts by strangers. Thread-safe.
 */
public final class EngineThread {

  private static final Logger LOG = PrintableLogger.of(EngineThread.class);
  private static final long FAILED_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A start waits for a first answer, but not for a database that is down. */
  private static final long FIRST_MILLIS = 2_000;

  /** One round of the work. */
  @FunctionalInterface
  public interface Work {
    /**
     * @return how many nanoseconds to wait before the next round
     */
    long run() throws Exception;
  }

  private final Work work;
  private final String problem;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final Semaphore ended = new Semaphore(0); // ends a pause, for any reason
  private final CountDownLatch first = new CountDownLatch(1);
  private final Thread thread;
  private volatile Runnable last = () -> {};
  private volatile boolean closed;

  /**
   * @param problem what to log when a round fails, for example "events cannot be read"
   */
  public EngineThread(String name, String problem, Work work) {
    this.work = work;
    this.problem = problem;
    this.thread = new DaemonThreadFactory(name).newThread(this::run);
  }

  public void start() {
    thread.start();
  }

  /**
   * Starts, and returns when the work has called {@link #answered}, or after a bounded time.
   *
   * @return false if that time passed without an answer
   */
  public boolean startAndWait() {
    thread.start();
    try {
      return first.await(FIRST_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** The work has had its first answer. Harmless when called again. */
  public void answered() {
    first.countDown();
  }

  /** Begins the next round now, or one after that which is under way. */
  public void wake() {
    if (ended.availablePermits() == 0) {
      ended.release();
    }
  }

  /** Begins no other round. */
  public void close() {
    closed = true;
    wake();
  }

  /** Begins no other round, and does this as the last thing on the thread, if it was started. */
  public void close(Runnable lastWork) {
    last = lastWork;
    close();
  }

  public boolean isClosed() {
    return closed;
  }

  /** Waits for the end, after {@link #close}, for {@code nanos} at most. */
  public void join(long nanos) throws InterruptedException {
    long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
    if (millis > 0 && Thread.currentThread() != thread) {
      thread.join(millis);
    }
  }

  private void run() {
    while (!isClosed()) {
      pause(round());
    }
    last.run();
  }

  private long round() {
    try {
      return work.run();
    } catch (InterruptedException e) {
      return 0;
    } catch (Throwable e) {
      log(e);
      return FAILED_AGAIN_NANOS;
    }
  }

  private void log(Throwable e) {
    try {
      warning.log(() -> problem + "; trying again", e);
    } catch (Throwable unsaid) {
      // There may be no memory left for it.
    }
  }

  private void pause(long nanos) {
    try {
      if (nanos > 0 && !closed && ended.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
        ended.drainPermits();
      }
    } catch (InterruptedException e) {
      // Only a stranger does that, and there is nothing to end for.
      LOG.log(Level.DEBUG, "a thread of the engine was interrupted and goes on");
    }
    Thread.interrupted();
  }
}
