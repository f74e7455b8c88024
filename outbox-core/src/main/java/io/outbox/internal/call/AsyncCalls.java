package io.outbox.internal.call;

import io.outbox.internal.queue.Delivery;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** The calls whose answers come later. Those of other listeners pass without notice. */
public final class AsyncCalls {

  /** Waits until outcomes are taken without waiting. */
  public interface Room {
    void await() throws InterruptedException;
  }

  /** A listener of which all calls are unanswered for so long keeps no worker. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Room room;
  private final Set<ListenerCall<?>> awaited = ConcurrentHashMap.newKeySet();

  public AsyncCalls(Room room) {
    this.room = room;
  }

  /**
   * Waits for its turn; an answer that comes later must not have to wait.
   *
   * @return false if the listener has not answered any of its calls for too long
   */
  boolean enter(ListenerCall<?> call) throws InterruptedException {
    if (!call.async) {
      return true;
    }
    room.await();
    long patience =
        call.breakers.listener().isOpen() ? 0 : PATIENCE_NANOS; // a trial takes a place or none
    if (!call.breakers.listener().inFlight().acquire(call.delivery.bytes(), patience)) {
      return false;
    }
    awaited.add(call);
    return true;
  }

  void leave(ListenerCall<?> call) {
    if (call.async) {
      awaited.remove(call);
      call.breakers.listener().inFlight().release(call.delivery.bytes());
    }
  }

  /** Waits until all are answered, except those that run on this thread. */
  void awaitEnd(long deadlineNanos) throws InterruptedException {
    while (!haveEnded() && deadlineNanos - System.nanoTime() > 0) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(STEP_NANOS);
    }
  }

  boolean haveEnded() {
    return awaited.size() <= own();
  }

  /** As many are in flight because of who asks. */
  private long own() {
    return awaited.stream().filter(call -> call.isOn(Thread.currentThread())).count();
  }

  void cancel() {
    cancelIf(delivery -> true);
  }

  public void cancelIf(Predicate<Delivery> wanted) {
    awaited.stream().filter(call -> wanted.test(call.delivery)).forEach(ListenerCall::cancel);
  }

  /** Nobody waits for them any more. */
  void giveUp() {
    awaited.forEach(ListenerCall::giveUp);
  }
}
