package io.outbox.internal.call;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.internal.breaker.ListenerBreakers;
import io.outbox.internal.policy.ListenerTerms;
import io.outbox.internal.queue.Delivery;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One call of a listener. It ends once, by the first of these: the listener's return, its late
 * answer, or the timeout. Thread-safe.
 */
public final class ListenerCall<D extends Delivery> {

  private static final Logger LOG = PrintableLogger.of(ListenerCall.class);

  /** Told of the end, on the thread that brought it about. */
  interface Listener<D extends Delivery> {
    void ended(ListenerCall<D> call, DispatchResult result, Throwable failure);
  }

  final D delivery;
  final boolean async;
  final ListenerBreakers breakers;
  final Interception interception;
  final ListenerTerms<D> terms;
  private final Listener<D> listener;
  private volatile long startNanos = System.nanoTime();
  private final CountDownLatch end = new CountDownLatch(1);
  private Thread worker; // while the listener runs in it
  private CompletionStage<DispatchResult> answer; // while it is awaited
  private Thread teller; // of its end
  private Duration exceeded; // null: no timeout so far
  private Future<?> watch; // null: nobody watches
  private boolean ended;
  private boolean abandoned;
  private volatile boolean toBeRepeated;
  private volatile boolean endedElsewhere;

  ListenerCall(
      D delivery,
      boolean async,
      ListenerBreakers breakers,
      Interception interception,
      ListenerTerms<D> terms,
      Listener<D> listener) {
    this.delivery = delivery;
    this.async = async;
    this.breakers = breakers;
    this.interception = interception;
    this.terms = terms;
    this.listener = listener;
  }

  /** Null for that of all calls. */
  Duration ownTimeout() {
    return terms.timeout();
  }

  long startNanos() {
    return startNanos;
  }

  /**
   * Runs the listener on this thread.
   *
   * @param timeouts null for none
   */
  void run(EventListener called, ListenerTimeouts timeouts) {
    Object returned = null;
    Throwable failure = null;
    startNanos = System.nanoTime();
    try {
      synchronized (this) {
        worker = Thread.currentThread();
        watch = timeouts == null ? null : timeouts.watch(this);
      }
      returned = interception.call(called);
    } catch (Throwable e) {
      failure = e;
    }
    if (failure == null && returned instanceof CompletionStage<?>) {
      @SuppressWarnings("unchecked")
      CompletionStage<DispatchResult> stage = (CompletionStage<DispatchResult>) returned;
      failure = awaitAnswer(stage);
      if (failure == null) {
        return;
      }
      returned = null;
    }
    returned((DispatchResult) returned, failure);
  }

  /** Returns why the answer is not awaited; null if it is. */
  private Throwable awaitAnswer(CompletionStage<DispatchResult> stage) {
    synchronized (this) {
      if (exceeded != null || Thread.currentThread().isInterrupted()) {
        cancel(stage);
        return exceeded != null
            ? timeout(null)
            : new InterruptedException("the listener left its thread interrupted");
      }
      worker = null;
      answer = stage;
    }
    try {
      // Whatever the compiler was told, the answer may be anything.
      ((CompletionStage<?>) stage).whenComplete(this::answered);
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  private void answered(Object result, Throwable failure) {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      answer = null;
    }
    boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
    if (failure == null && result != null && !(result instanceof DispatchResult)) {
      tellOrLog(
          null, new ClassCastException("the answer is no DispatchResult: " + result.getClass()));
    } else {
      tellOrLog((DispatchResult) result, wrapped ? failure.getCause() : failure);
    }
  }

  private void returned(DispatchResult result, Throwable failure) {
    Throwable reason = failure;
    synchronized (this) {
      // An interrupt for its timeout happens inside this lock.
      boolean interrupted = Thread.interrupted();
      worker = null;
      if (ended) {
        return;
      }
      ended = true;
      if (exceeded != null) {
        reason = failure instanceof TimeoutException ? failure : timeout(failure);
      } else if (interrupted && failure == null) {
        // A listener that leaves its thread interrupted was stopped in the middle of its work.
        reason = new InterruptedException("the listener left its thread interrupted");
      }
    }
    tell(reason == null ? result : null, reason);
  }

  /**
   * It has taken longer than {@code limit}.
   *
   * @return whether the listener was interrupted and should end soon; else the call has ended
   */
  boolean timeOut(Duration limit) {
    CompletionStage<DispatchResult> pending;
    synchronized (this) {
      if (ended) {
        return false;
      }
      exceeded = limit;
      if (worker != null) {
        worker.interrupt();
        return true;
      }
      ended = true;
      pending = answer;
      answer = null;
    }
    cancel(pending);
    tellOrLog(null, timeout(null));
    return false;
  }

  /**
   * Ends it though its listener still runs, and calls {@code stuck} with the thread that it keeps:
   * before that thread can come back.
   */
  void abandon(Consumer<Thread> stuck) {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      abandoned = true;
      stuck.accept(worker);
    }
    tellOrLog(null, timeout(null));
  }

  /** Whether its listener came back too late, to a thread that was replaced. */
  synchronized boolean wasAbandoned() {
    return abandoned;
  }

  /** Asks for what is still awaited to be given up, which is not the event's failure. */
  void cancel() {
    CompletionStage<DispatchResult> pending = awaited();
    if (pending != null) {
      delivery.cutShort(); // first: its answer may come at once
      cancel(pending);
    }
  }

  /** No longer waits for an answer, which is not the event's failure. */
  void giveUp() {
    if (awaited() != null) {
      delivery.cutShort();
      answered(null, new CancellationException("the outbox was closed"));
    }
  }

  private synchronized CompletionStage<DispatchResult> awaited() {
    return answer;
  }

  /** Nothing came of it, and the same event is to be delivered again before any other. */
  void repeat() {
    toBeRepeated = true;
  }

  /** Whether it is not its worker that tells of the end: what fails then, fails unseen. */
  boolean endedElsewhere() {
    return endedElsewhere;
  }

  boolean isToBeRepeated() {
    return toBeRepeated;
  }

  /** Whether it runs, or is being ended, on this thread. */
  synchronized boolean isOn(Thread thread) {
    return worker == thread || teller == thread;
  }

  void awaitEnd() throws InterruptedException {
    end.await();
  }

  /** On threads that are not ours, or the timer's: what is thrown there, nobody would see. */
  private void tellOrLog(DispatchResult result, Throwable failure) {
    endedElsewhere = true;
    try {
      tell(result, failure);
    } catch (Throwable e) {
      LOG.log(Level.ERROR, () -> "after the answer to event " + delivery.eventId(), e);
    }
  }

  private void tell(DispatchResult result, Throwable failure) {
    Future<?> watching;
    synchronized (this) {
      watching = watch;
      teller = Thread.currentThread();
    }
    if (watching != null) {
      watching.cancel(false);
    }
    try {
      listener.ended(this, result, failure);
    } finally {
      end.countDown();
    }
  }

  private TimeoutException timeout(Throwable cause) {
    TimeoutException timeout =
        new TimeoutException(
            "the listener took longer than "
                + exceeded
                + (ownTimeout() == null ? " (listenerTimeout)" : " (timeout of its policy)"));
    timeout.initCause(cause);
    return timeout;
  }

  private static void cancel(CompletionStage<?> stage) {
    if (stage == null) {
      return;
    }
    try {
      stage.toCompletableFuture().cancel(true);
    } catch (Throwable e) {
      // Not every stage is a future; its answer will find nobody.
      LOG.log(Level.DEBUG, "a pending result cannot be canceled", e);
    }
  }
}
