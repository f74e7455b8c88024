package io.outbox.internal.record;

import io.outbox.EventEnvelope;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Calls the user's dead-letter hook, and that of a listener, on a separate thread, so that they can
 * hold up nothing.
 */
public final class DeadLetters {

  private static final Logger LOG = PrintableLogger.of(DeadLetters.class);
  private static final int MAX_WAITING = 1000;
  private static final long MAX_BYTES = 16L * 1024 * 1024;

  private final BiConsumer<EventEnvelope, String> hook; // null: none
  private final Function<EventEnvelope, BiConsumer<EventEnvelope, String>> ofListener;
  private final RepeatedWarning overflow = new RepeatedWarning(LOG, Level.WARNING);
  private final AtomicLong bytes = new AtomicLong(); // of the events that wait
  private final ThreadPoolExecutor executor;

  public DeadLetters(BiConsumer<EventEnvelope, String> hook) {
    this(hook, event -> null);
  }

  /**
   * @param hook null for none
   * @param ofListener the hook for events of one listener; null if that has none
   */
  public DeadLetters(
      BiConsumer<EventEnvelope, String> hook,
      Function<EventEnvelope, BiConsumer<EventEnvelope, String>> ofListener) {
    this.hook = hook;
    this.ofListener = ofListener;
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            new DaemonThreadFactory("outbox-dead-letters-"));
    executor.allowCoreThreadTimeOut(true);
  }

  void onDead(EventEnvelope event, String reason) {
    if (event == null) {
      return;
    }
    BiConsumer<EventEnvelope, String> fallback = ofListener.apply(event);
    if (hook == null && fallback == null) {
      return;
    }
    long size = Delivery.bytesOf(event);
    try {
      if (bytes.getAndAdd(size) > MAX_BYTES) {
        throw new RejectedExecutionException();
      }
      executor.execute(() -> callAll(fallback, event, reason));
    } catch (RejectedExecutionException e) {
      bytes.addAndGet(-size);
      overflow.log(
          () ->
              "onDead is not called for event "
                  + event.eventId()
                  + ": too many calls are waiting, or the outbox is closed; the event is DEAD in"
                  + " the table");
    }
  }

  private void callAll(
      BiConsumer<EventEnvelope, String> fallback, EventEnvelope event, String reason) {
    try {
      call("the fallback", fallback, event, reason);
      call("onDead", hook, event, reason);
    } finally {
      bytes.addAndGet(-Delivery.bytesOf(event));
    }
  }

  private static void call(
      String what, BiConsumer<EventEnvelope, String> called, EventEnvelope event, String reason) {
    try {
      if (called != null) {
        called.accept(event, reason);
      }
    } catch (Throwable e) {
      LOG.log(Level.WARNING, () -> what + " failed for event " + event.eventId(), e);
    }
  }

  public void close(long maxNanos) throws InterruptedException {
    executor.shutdown();
    if (!executor.awaitTermination(maxNanos, TimeUnit.NANOSECONDS)) {
      executor.shutdownNow();
    }
  }
}
