package io.outbox.dispatch;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The calls whose answers come later. Those of other listeners pass without notice. */
final class AsyncCalls {

  /** Waits until outcomes are taken without waiting. */
  interface Room {
    void await() throws InterruptedException;
  }

  private final InFlightLimit limit;
  private final Room room;
  private final Set<ListenerCall> awaited = ConcurrentHashMap.newKeySet();

  AsyncCalls(InFlightLimit limit, Room room) {
    this.limit = limit;
    this.room = room;
  }

  /** Waits for its turn; an answer that comes later must not have to wait. */
  void enter(ListenerCall call) throws InterruptedException {
    if (call.isAsync()) {
      room.await();
      limit.acquire(call.delivery().bytes());
      awaited.add(call);
    }
  }

  void leave(ListenerCall call) {
    if (call.isAsync()) {
      awaited.remove(call);
      limit.release(call.delivery().bytes());
    }
  }

  /** Waits until all are answered, except those that run on this thread. */
  void awaitEnd(long deadlineNanos) throws InterruptedException {
    limit.awaitFew(own(), deadlineNanos);
  }

  boolean haveEnded() {
    return limit.count() <= own();
  }

  /** As many are in flight because of who asks. */
  private long own() {
    return awaited.stream().filter(call -> call.isOn(Thread.currentThread())).count();
  }

  void cancel() {
    cancelIf(delivery -> true);
  }

  void cancelIf(Predicate<Delivery> wanted) {
    awaited.stream().filter(call -> wanted.test(call.delivery())).forEach(ListenerCall::cancel);
  }

  /** Nobody waits for them any more. */
  void giveUp() {
    awaited.forEach(ListenerCall::giveUp);
  }
}
