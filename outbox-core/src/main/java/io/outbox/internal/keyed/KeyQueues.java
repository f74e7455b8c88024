package io.outbox.internal.keyed;

import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.spi.Outcome;
import io.outbox.spi.lanes.Lane;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Events by key. Of each key one event at a time is with a worker, the one with the smallest
 * number; keys take turns. After a success the next may start though the outcome is not written
 * yet; any other outcome is waited for. Bounded in events and bytes. Thread-safe.
 */
public final class KeyQueues {

  /** What became of an event that was offered. */
  enum Offer {
    ACCEPTED,
    /** Its key waits, or nothing is taken any more. */
    REFUSED,
    FULL
  }

  private static final class KeyState {
    private final EventKey key;
    private final NavigableMap<Long, KeyedDelivery> waiting = new TreeMap<>();
    private final WriteOrder unwritten = new WriteOrder();
    private final KeyReads.OfKey reads;
    private KeyedDelivery running; // or its outcome decides whether others may start
    private boolean queued; // in ready

    KeyState(EventKey key) {
      this.key = key;
      this.reads = new KeyReads.OfKey(key);
    }

    boolean isEmpty() {
      return waiting.isEmpty() && unwritten.isEmpty() && running == null && !reads.isUnderWay();
    }
  }

  private final EngineClock clock;
  private final int maxEvents;
  private final long maxBytes;
  private final boolean blockAfterDead;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final Map<EventKey, KeyState> keys = new HashMap<>();
  private final ArrayDeque<KeyState> ready = new ArrayDeque<>();
  private final KeyReads reads;
  private final RecentBlocks blocks = new RecentBlocks();
  private int waitingEvents;
  private long waitingBytes;
  private boolean full; // one found no room, and none has left since
  private boolean stopped;

  public KeyQueues(
      EngineClock clock, int maxEvents, long maxBytes, boolean blockAfterDead, KeyReads.Feed feed) {
    this.clock = clock;
    this.maxEvents = maxEvents;
    this.maxBytes = maxBytes;
    this.blockAfterDead = blockAfterDead;
    this.reads = new KeyReads(feed);
  }

  // ---- from the table

  /** To be called before the table is asked; until the next read, what was read may be outdated. */
  void readStarted() {
    lock.lock();
    try {
      reads.started();
    } finally {
      lock.unlock();
    }
  }

  /** There is something new for this key in the table. */
  public void committed(EventKey key) {
    lock.lock();
    try {
      KeyState state = keys.get(key);
      if (state == null) {
        reads.first(key);
      } else {
        reads.committed(state.reads, state.waiting.size());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Queues an event before those of its key with larger numbers.
   *
   * @param blocker the event that blocks its key in the table; null if none does
   */
  Offer offer(KeyedDelivery delivery, String blocker) {
    lock.lock();
    try {
      EventKey key = delivery.key();
      if (stopped || reads.isOutdated(key) || isBlocked(delivery, blocker)) {
        return Offer.REFUSED;
      }
      if (waitingEvents > 0
          && (waitingEvents >= maxEvents || waitingBytes + delivery.bytes() > maxBytes)) {
        full = true;
        return Offer.FULL;
      }
      KeyState state = keys.computeIfAbsent(key, KeyState::new);
      state.waiting.put(delivery.seq(), delivery);
      if (!delivery.blocksItsKey()) { // events before that may wait for it
        state.reads.accepted(delivery.seq());
      }
      waitingEvents++;
      waitingBytes += delivery.bytes();
      makeReady(state);
      return Offer.ACCEPTED;
    } finally {
      lock.unlock();
    }
  }

  /** The replay of an event that blocks its key is a way to lift the block. */
  private boolean isBlocked(KeyedDelivery delivery, String blocker) {
    String eventId = blocks.blockerOf(delivery.key(), reads.count(), blocker);
    if (eventId == null) {
      return false;
    }
    delivery.blocksKey();
    return !eventId.equals(delivery.eventId());
  }

  /**
   * The first event of this key that was read is due later.
   *
   * @return false if there are others here before it, so that it has to be offered
   */
  boolean parkIfIdle(EventKey key, Instant at) {
    lock.lock();
    try {
      KeyState state = keys.get(key);
      if (reads.isOutdated(key)) {
        return true; // it was decided anew when to read it
      }
      if (state != null && isBusy(state)) {
        return false;
      }
      reads.later(key, at);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private static boolean isBusy(KeyState state) {
    return state.running != null || !state.unwritten.isEmpty() || !state.waiting.isEmpty();
  }

  /**
   * A read of this key has ended, and what it found was offered.
   *
   * @param more whether there may be more behind that
   * @param window how many events of a key are read at a time
   */
  void wasRead(EventKey key, boolean more, int window) {
    lock.lock();
    try {
      KeyState state = keys.get(key);
      if (state != null) {
        reads.ended(state.reads, more, window, state.waiting.size());
        forgetIfEmpty(state);
      }
    } finally {
      lock.unlock();
    }
  }

  /** A read that was wanted did not come to this key, or found no room for it. */
  void wasNotRead(EventKey key, long afterSeq) {
    lock.lock();
    try {
      KeyState state = keys.get(key);
      if (reads.isOutdated(key)) {
        return; // it was decided anew when to read it
      }
      if (state == null) {
        reads.first(key);
      } else {
        reads.repeat(state.reads, afterSeq);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is room, for {@code nanos} at most; returns for how many events. */
  int awaitRoom(long nanos) throws InterruptedException {
    long left = nanos;
    lock.lockInterruptibly();
    try {
      while (roomLeftLocked() == 0 && !stopped && left > 0) {
        left = room.awaitNanos(left);
      }
      return roomLeftLocked();
    } finally {
      lock.unlock();
    }
  }

  /** For how many events there is room. */
  int roomLeft() {
    lock.lock();
    try {
      return roomLeftLocked();
    } finally {
      lock.unlock();
    }
  }

  private int roomLeftLocked() {
    return full || waitingBytes >= maxBytes ? 0 : Math.max(0, maxEvents - waitingEvents);
  }

  /** How many keys have events here. */
  int keyCount() {
    lock.lock();
    try {
      return keys.size();
    } finally {
      lock.unlock();
    }
  }

  int waiting() {
    lock.lock();
    try {
      return waitingEvents;
    } finally {
      lock.unlock();
    }
  }

  private void makeReady(KeyState state) {
    if (!state.queued && state.running == null && !state.waiting.isEmpty()) {
      state.queued = true;
      ready.add(state);
      work.signal();
    }
  }

  private void readOn(KeyState state) {
    reads.goOn(state.reads, state.waiting.size());
  }

  private void forgetIfEmpty(KeyState state) {
    if (state.isEmpty()) {
      keys.remove(state.key, state); // it may have been forgotten before, and begun anew
    }
  }

  // ---- to the workers and back

  /** Waits for an event whose turn it is; null when there will be none any more. */
  public KeyedDelivery take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      KeyedDelivery next = poll();
      while (next == null && !stopped) {
        work.await();
        next = poll();
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #take}, without waiting. */
  KeyedDelivery poll() {
    lock.lock();
    try {
      for (KeyState state = ready.poll(); state != null && !stopped; state = ready.poll()) {
        state.queued = false;
        KeyedDelivery first = firstDue(state);
        if (first != null) {
          state.running = first;
          readOn(state);
          return first;
        }
        forgetIfEmpty(state);
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether an event may start in this term of its lane. What was read under an earlier term may
   * have been done elsewhere since; what was done under an earlier term will not be written, and
   * has to be done again first.
   */
  public boolean mayStart(KeyedDelivery delivery, Lane lane) {
    lock.lock();
    try {
      return lane.equals(delivery.term())
          && !delivery.isRevoked()
          && keys.get(delivery.key()).unwritten.belongsTo(lane);
    } finally {
      lock.unlock();
    }
  }

  private KeyedDelivery firstDue(KeyState state) {
    if (state.waiting.isEmpty()) {
      return null; // they were dropped
    }
    KeyedDelivery first = state.waiting.firstEntry().getValue();
    Instant due = first.dueAt();
    if (due != null && due.isAfter(clock.now())) {
      leaveInTable(state, due);
      return null;
    }
    state.waiting.pollFirstEntry();
    left(first);
    return first;
  }

  private void left(KeyedDelivery delivery) {
    waitingEvents--;
    waitingBytes -= delivery.bytes();
    full = false;
    room.signal();
  }

  /** Nothing of this key may start before {@code at}: others have more use for the room. */
  private void leaveInTable(KeyState state, Instant at) {
    dropWaiting(state);
    reads.later(state.key, at);
  }

  private void dropWaiting(KeyState state) {
    for (KeyedDelivery delivery : state.waiting.values()) {
      left(delivery);
      delivery.drop();
      reads.dropped(delivery);
    }
    state.waiting.clear();
    reads.restart(state.reads);
  }

  /** Its listener has answered; to be called before its outcome is handed to the recorder. */
  public void answered(KeyedDelivery delivery) {
    lock.lock();
    try {
      keys.get(delivery.key()).unwritten.add(delivery);
    } finally {
      lock.unlock();
    }
  }

  /** Its outcome is with the recorder: after a success the next of the key may start. */
  public void handedOver(KeyedDelivery delivery, Outcome outcome) {
    if (!isSuccess(outcome) || delivery.settlesFirst()) {
      return;
    }
    lock.lock();
    try {
      KeyState state = keys.get(delivery.key());
      if (state != null && state.running == delivery) {
        state.running = null;
        makeReady(state);
        readOn(state);
        forgetIfEmpty(state);
      }
    } finally {
      lock.unlock();
    }
  }

  private static boolean isSuccess(Outcome outcome) {
    return switch (outcome.status()) {
      case DONE -> true;
      case NEW, RETRY, DEAD -> false;
    };
  }

  /** It has no outcome. Its key is read again at {@code at}. */
  public void putBack(KeyedDelivery delivery, Instant at) {
    lock.lock();
    try {
      KeyState state = keys.get(delivery.key());
      if (state != null && state.running == delivery) {
        state.running = null;
        state.unwritten.remove(delivery); // its answer may have failed on the way to the recorder
        leaveInTable(state, at);
        forgetIfEmpty(state);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Its outcome is in the database. */
  public void written(KeyedDelivery delivery, Outcome outcome) {
    lock.lock();
    try {
      KeyState state = settled(delivery);
      switch (outcome.status()) {
        case DONE -> {
          if (delivery.blocksItsKey()) {
            reads.first(delivery.key()); // the others were refused so far
          }
        }
        case NEW, RETRY -> leaveInTable(state, outcome.at());
        case DEAD -> {
          if (blockAfterDead) {
            blocks.add(delivery.key(), delivery.eventId(), reads.count());
            dropWaiting(state);
          }
        }
      }
      makeReady(state);
      forgetIfEmpty(state);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Its outcome will never be written: whatever the table says now counts. It may come again, and
   * those behind it must come after it.
   */
  public void abandoned(KeyedDelivery delivery, Instant readAgainAt) {
    lock.lock();
    try {
      KeyState state = settled(delivery);
      state.unwritten.revoke();
      if (state.running != null) {
        state.running.revoke();
      }
      leaveInTable(state, readAgainAt);
      forgetIfEmpty(state);
    } finally {
      lock.unlock();
    }
  }

  private KeyState settled(KeyedDelivery delivery) {
    KeyState state = keys.get(delivery.key());
    state.unwritten.remove(delivery);
    if (state.running == delivery) {
      state.running = null;
    }
    return state;
  }

  /** Those that may be written together: of each key the first ones. */
  Set<KeyedDelivery> writable(Collection<KeyedDelivery> deliveries) {
    Set<KeyedDelivery> asked = new HashSet<>(deliveries);
    Set<KeyedDelivery> writable = new HashSet<>();
    lock.lock();
    try {
      for (KeyedDelivery delivery : deliveries) {
        keys.get(delivery.key()).unwritten.addWritable(asked, writable);
      }
      return writable;
    } finally {
      lock.unlock();
    }
  }

  // ---- pauses

  /** Drops what waits of keys with an event that is paused; what is before that is read again. */
  public void putBack(Predicate<KeyedDelivery> paused) {
    lock.lock();
    try {
      for (KeyState state : List.copyOf(keys.values())) {
        if (state.waiting.values().stream().anyMatch(paused)) {
          dropWaiting(state);
          reads.first(state.key);
          forgetIfEmpty(state);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- lanes

  /** Drops what waits in lanes that are not open any more. */
  public void keepOnly(IntPredicate open) {
    lock.lock();
    try {
      for (KeyState state : List.copyOf(keys.values())) {
        if (!open.test(state.key.lane())) {
          dropWaiting(state);
          forgetIfEmpty(state);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** What workers have, and what failed and is not written. */
  public List<KeyedDelivery> running() {
    lock.lock();
    try {
      List<KeyedDelivery> all = new ArrayList<>();
      for (KeyState state : keys.values()) {
        if (state.running != null) {
          all.add(state.running);
        }
      }
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Hands out nothing more, and drops what waits. */
  public void stop() {
    lock.lock();
    try {
      stopped = true;
      reads.stop();
      keys.values().forEach(this::dropWaiting);
      work.signalAll();
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean isStopped() {
    lock.lock();
    try {
      return stopped;
    } finally {
      lock.unlock();
    }
  }
}
