package io.outbox.testing;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Makes an {@link InMemoryDatabase} fail, and counts its calls. Operations of a connection fail
 * with an {@link SQLException}, operations of a store with an {@link InjectedFailureException},
 * unless another exception is given. Thread-safe.
 */
public final class Faults {

  private final Map<StoreOperation, AtomicInteger> counts = new EnumMap<>(StoreOperation.class);
  private final List<Fault> faults = new CopyOnWriteArrayList<>();
  private volatile Consumer<StoreCall> observer = call -> {};

  Faults() {
    for (StoreOperation operation : StoreOperation.values()) {
      counts.put(operation, new AtomicInteger());
    }
  }

  /** The next {@code times} calls of the operation fail and do nothing. */
  public void failNext(StoreOperation operation, int times) {
    failNext(operation, times, null);
  }

  /** The next {@code times} calls of the operation throw this exception and do nothing. */
  public void failNext(
      StoreOperation operation, int times, Supplier<? extends RuntimeException> exception) {
    faults.add(new Fault(is(operation), new AtomicInteger(times), false, exception));
  }

  /** The next {@code times} calls of the operation do their work and fail all the same. */
  public void failNextAfterwards(StoreOperation operation, int times) {
    faults.add(new Fault(is(operation), new AtomicInteger(times), true, null));
  }

  /** Calls that match fail and do nothing, until {@link #clear()}. */
  public void failWhile(Predicate<StoreCall> matches) {
    failWhile(matches, null);
  }

  /** Calls that match throw this exception and do nothing, until {@link #clear()}. */
  public void failWhile(
      Predicate<StoreCall> matches, Supplier<? extends RuntimeException> exception) {
    Objects.requireNonNull(matches, "matches");
    faults.add(new Fault(matches, new AtomicInteger(Integer.MAX_VALUE), false, exception));
  }

  /** Everything fails, until {@link #clear()}. */
  public void outage() {
    failWhile(call -> true);
  }

  /** Nothing fails from now on. */
  public void clear() {
    faults.clear();
  }

  /**
   * Called first on the thread of every call, without any lock: it may block, or throw to make the
   * call fail. Replaces the observer before.
   */
  public void onCall(Consumer<StoreCall> observer) {
    this.observer = Objects.requireNonNull(observer, "observer");
  }

  /** How often the operation was called, failures included. */
  public int calls(StoreOperation operation) {
    return counts.get(operation).get();
  }

  private static Predicate<StoreCall> is(StoreOperation operation) {
    Objects.requireNonNull(operation, "operation");
    return call -> call.operation() == operation;
  }

  void before(StoreCall call) {
    counts.get(call.operation()).incrementAndGet();
    observer.accept(call);
    fail(call, false);
  }

  void after(StoreCall call) {
    fail(call, true);
  }

  private void fail(StoreCall call, boolean afterwards) {
    for (Fault fault : faults) {
      if (fault.afterwards == afterwards && fault.matches.test(call) && fault.takeOne()) {
        throw fault.exception(call);
      }
    }
  }

  private record Fault(
      Predicate<StoreCall> matches,
      AtomicInteger left,
      boolean afterwards,
      Supplier<? extends RuntimeException> supplier) {

    boolean takeOne() {
      return left.getAndUpdate(n -> n == Integer.MAX_VALUE ? n : Math.max(0, n - 1)) > 0;
    }

    RuntimeException exception(StoreCall call) {
      return supplier == null
          ? new InjectedFailureException(call.operation() + " was told to fail")
          : supplier.get();
    }
  }
}
