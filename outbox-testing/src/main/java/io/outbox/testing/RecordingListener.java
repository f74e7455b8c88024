package io.outbox.testing;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Records every delivery. Then waits while it is blocked, fails as often as planned, and otherwise
 * returns DONE or the result of {@link #answer}. Thread-safe.
 */
public final class RecordingListener implements EventListener {

  /**
   * One call of the listener.
   *
   * @param thread the name of the thread it was made on
   */
  public record Delivery(EventEnvelope event, String thread, Instant at) {
    public Delivery {
      Objects.requireNonNull(event, "event");
      Objects.requireNonNull(thread, "thread");
      Objects.requireNonNull(at, "at");
    }
  }

  private final Clock clock;
  private final List<Delivery> deliveries = new ArrayList<>();
  private final Deque<Supplier<? extends Throwable>> failures = new ArrayDeque<>();
  private EventListener answer = event -> DispatchResult.done();
  private boolean blocked;
  private int running;
  private int mostRunning;

  public RecordingListener() {
    this(Clock.systemUTC());
  }

  /** Takes the time of deliveries from {@code clock}. */
  public RecordingListener(Clock clock) {
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  /** The next {@code times} deliveries fail. */
  public RecordingListener failNext(int times) {
    return failNext(times, () -> new IllegalStateException("this delivery was told to fail"));
  }

  /** The next {@code times} deliveries throw this, which may be an Error. */
  public synchronized RecordingListener failNext(
      int times, Supplier<? extends Throwable> throwable) {
    for (int i = 0; i < times; i++) {
      failures.add(throwable);
    }
    return this;
  }

  /** Handles deliveries that do not fail. */
  public synchronized RecordingListener answer(EventListener answer) {
    this.answer = Objects.requireNonNull(answer, "answer");
    return this;
  }

  /** The result of deliveries that do not fail; may be null. */
  public RecordingListener answer(DispatchResult result) {
    return answer((EventListener) event -> result);
  }

  /** From now on deliveries wait for {@link #release()}. */
  public synchronized RecordingListener block() {
    blocked = true;
    return this;
  }

  /** Lets all deliveries continue. */
  public synchronized void release() {
    blocked = false;
    notifyAll();
  }

  @Override
  public DispatchResult onEvent(EventEnvelope event) throws Exception {
    Supplier<? extends Throwable> failure;
    EventListener next;
    synchronized (this) {
      deliveries.add(new Delivery(event, Thread.currentThread().getName(), clock.instant()));
      failure = failures.poll();
      next = answer;
      running++;
      mostRunning = Math.max(mostRunning, running);
      notifyAll();
    }
    try {
      awaitRelease();
      if (failure != null) {
        fail(failure.get());
      }
      return next.onEvent(event);
    } finally {
      synchronized (this) {
        running--;
        notifyAll();
      }
    }
  }

  private synchronized void awaitRelease() throws InterruptedException {
    while (blocked) {
      wait();
    }
  }

  private static void fail(Throwable throwable) throws Exception {
    if (throwable instanceof Error error) {
      throw error;
    }
    throw (Exception) throwable;
  }

  /** All deliveries so far, in the order in which they began. */
  public synchronized List<Delivery> deliveries() {
    return List.copyOf(deliveries);
  }

  /** The ids of the events delivered so far, in the order in which their deliveries began. */
  public List<String> deliveredIds() {
    return deliveries().stream().map(delivery -> delivery.event().eventId()).toList();
  }

  public synchronized int count() {
    return deliveries.size();
  }

  /** How often this event was delivered. */
  public int count(String eventId) {
    return (int) deliveredIds().stream().filter(eventId::equals).count();
  }

  /** How many deliveries are under way. */
  public synchronized int running() {
    return running;
  }

  /** How many deliveries have ever been under way at once. */
  public synchronized int mostRunning() {
    return mostRunning;
  }

  /**
   * Waits until {@code count} deliveries have begun.
   *
   * @throws AssertionError if they have not within {@code bound}
   */
  public void awaitCount(int count, Duration bound) {
    Await.until(() -> count + " deliveries, so far " + count(), bound, () -> count() >= count);
  }
}
