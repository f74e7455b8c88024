package io.outbox.console;

import io.outbox.console.internal.api.Boards;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts threads that wait for a client for too long, which closes the connection: a few
 * clients that send or read nothing must not hold all threads. Threads that wait for the database
 * are left alone.
 */
final class SlowClients implements AutoCloseable {

  private static final int LOOKS = 10;

  private final long patienceNanos;
  private final ConcurrentMap<Thread, Long> waitingSince = new ConcurrentHashMap<>();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(Boards.threads("outbox-console-slow"));

  SlowClients(Duration patience) {
    patienceNanos = patience.toNanos();
    long every = patienceNanos / LOOKS;
    clock.scheduleWithFixedDelay(this::look, every, every, TimeUnit.NANOSECONDS);
  }

  /** From now on, anew, this thread waits for a client. */
  void waiting() {
    waitingSince.put(Thread.currentThread(), System.nanoTime());
  }

  /** It does not wait any more, and an interrupt that came too late is forgotten. */
  void goesOn() {
    waitingSince.remove(Thread.currentThread());
    Thread.interrupted();
  }

  private void look() {
    for (Thread thread : waitingSince.keySet()) {
      // Atomic: whoever goes on before is not interrupted any more.
      waitingSince.computeIfPresent(thread, this::interruptIfSlow);
    }
  }

  private Long interruptIfSlow(Thread thread, Long since) {
    if (System.nanoTime() - since <= patienceNanos) {
      return since;
    }
    thread.interrupt();
    return null;
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
