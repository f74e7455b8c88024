package io.outbox.internal.keyed;

import io.outbox.internal.Guard;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.stream.Stream;

/** The keys that {@link KeyFeeder} shall read, now or at a time. Bounded, thread-safe. */
public final class WantedKeys implements KeyReads.Feed {

  private static final int MAX_WANTED = 10_000;
  private static final long FAR_SECONDS = 60;
  private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

  /** So many are read together, soon: that is cheaper than asking about each of them. */
  private static final int FEW = 200;

  /** So many keys are worth a read of their own. */
  private static final int MANY = 20;

  private final EngineClock clock;
  private final HeldEvents held;
  private final Guard lock = new Guard();
  private final Condition changed = lock.newCondition();
  private final Map<EventKey, Long> wanted = new LinkedHashMap<>(); // behind which number
  private final ParkedKeys parked = new ParkedKeys(); // nothing of theirs can start before
  private final ParkedKeys delayed = new ParkedKeys(); // something of theirs is due then
  private long takenNanos = System.nanoTime() - A_MILLISECOND;
  private boolean overflowed; // some that were wanted are not known
  private volatile boolean closed;

  public WantedKeys(EngineClock clock, HeldEvents held) {
    this.clock = clock;
    this.held = held;
  }

  @Override
  public boolean readFirst(EventKey key) {
    try (Guard guard = lock.lock()) {
      if (parked.contains(key)) {
        return false;
      }
      boolean news = !wanted.containsKey(key);
      want(key, 0);
      return news;
    }
  }

  @Override
  public boolean isWanted(EventKey key) {
    try (Guard guard = lock.lock()) {
      return wanted.size() >= FEW || wanted.containsKey(key) || parked.contains(key);
    }
  }

  boolean isParked(EventKey key) {
    try (Guard guard = lock.lock()) {
      return parked.contains(key);
    }
  }

  /** Whether those that are wanted now will be read soon. */
  boolean areFew() {
    try (Guard guard = lock.lock()) {
      return wanted.size() < FEW;
    }
  }

  @Override
  public void readAnyway(EventKey key) {
    try (Guard guard = lock.lock()) {
      want(key, 0);
    }
  }

  @Override
  public void readOn(EventKey key, long afterSeq) {
    try (Guard guard = lock.lock()) {
      // Whatever the limit: it waits for this read, and has something here, of which there is a
      // bounded number.
      wanted.merge(key, afterSeq, Math::min);
      changed.signal();
    }
  }

  private void want(EventKey key, long afterSeq) {
    if (wanted.size() >= MAX_WANTED && !wanted.containsKey(key)) {
      overflowed = true;
    } else {
      wanted.merge(key, afterSeq, Math::min);
    }
    changed.signal();
  }

  @Override
  public void forget(EventKey key) {
    try (Guard guard = lock.lock()) {
      wanted.remove(key);
    }
  }

  @Override
  public void readAt(EventKey key, Instant at) {
    try (Guard guard = lock.lock()) {
      parked.park(key, at);
      delayed.remove(key);
      changed.signal();
    }
  }

  @Override
  public void dropped(KeyedDelivery delivery) {
    held.release(delivery);
  }

  /** A delayed event was written. */
  public void committed(EventKey key, Instant at) {
    try (Guard guard = lock.lock()) {
      if (!parked.contains(key)) {
        delayed.parkIfEarlier(key, at);
        changed.signal();
      }
    }
  }

  /** There may be something new for any key. */
  public void wantAll() {
    try (Guard guard = lock.lock()) {
      overflowed = true;
      changed.signal();
    }
  }

  /** Waiting threads look again. */
  public void wake() {
    try (Guard guard = lock.lock()) {
      changed.signalAll();
    }
  }

  void close() {
    closed = true;
    wake();
  }

  public int parkedKeys() {
    try (Guard guard = lock.lock()) {
      return parked.size() + delayed.size();
    }
  }

  /** Whether all keys are wanted since this was last asked. */
  boolean takeAll() {
    try (Guard guard = lock.lock()) {
      boolean all = overflowed;
      overflowed = false;
      return all;
    }
  }

  /** At most {@code limit} keys, and behind which number to read them. */
  Map<EventKey, Long> take(int limit) {
    Map<EventKey, Long> taken = new LinkedHashMap<>();
    try (Guard guard = lock.lock()) {
      parked.takeDue(clock.now()).forEach(key -> want(key, 0));
      delayed.takeDue(clock.now()).forEach(key -> want(key, 0));
      Iterator<Map.Entry<EventKey, Long>> all = wanted.entrySet().iterator();
      while (all.hasNext() && taken.size() < limit) {
        Map.Entry<EventKey, Long> next = all.next();
        taken.put(next.getKey(), next.getValue());
        all.remove();
      }
      takenNanos = taken.isEmpty() ? takenNanos : System.nanoTime();
      return taken;
    }
  }

  /**
   * Has a few keys wait until a millisecond after the last ones were taken: beside busy writers a
   * read is for the events of several transactions. After a pause the first is taken at once.
   */
  void gather() throws InterruptedException {
    long nanos;
    try (Guard guard = lock.lock()) {
      boolean few = !wanted.isEmpty() && wanted.size() < MANY && !closed;
      nanos = few ? takenNanos + A_MILLISECOND - System.nanoTime() : 0;
    }
    TimeUnit.NANOSECONDS.sleep(nanos); // not for a signal: each commit gives one
  }

  /** Waits until something is wanted, at most for {@code maxNanos}. */
  void await(long maxNanos) throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
      long nanos = maxNanos;
      Instant next =
          Stream.of(parked.next(), delayed.next())
              .filter(Objects::nonNull)
              .min(Comparator.naturalOrder())
              .orElse(null);
      if (next != null) {
        Duration left = Duration.between(clock.now(), next);
        boolean isFar = left.toSeconds() > FAR_SECONDS;
        nanos = isFar ? nanos : Math.min(nanos, left.toNanos() + A_MILLISECOND);
      }
      if (!closed && wanted.isEmpty() && !overflowed && nanos > 0) {
        changed.awaitNanos(nanos);
      }
    }
  }

  /** Waits whatever is wanted, until woken, at most for {@code nanos}. */
  void pause(long nanos) throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
      if (!closed) {
        changed.awaitNanos(nanos);
      }
    }
  }
}
