package io.outbox.internal.keyed;

import io.outbox.internal.Guard;
import io.outbox.model.EventKey;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.function.Predicate;

/**
 * The keys that have events here, whose turn it is, and the room for events. Not thread-safe: all
 * of it is used under {@link #lock}.
 */
final class KeyStates {

  final Guard lock = new Guard();
  final KeyReads.Feed feed;
  final KeyReads reads;
  final RecentBlocks blocks = new RecentBlocks();
  private final Condition work = lock.newCondition();
  private final Condition roomLeft = lock.newCondition();
  private final QueueRoom room;
  private final Map<EventKey, KeyState> keys = new HashMap<>();
  private final ArrayDeque<KeyState> ready = new ArrayDeque<>();
  private boolean stopped;

  KeyStates(int maxEvents, long maxBytes, KeyReads.Feed feed) {
    this.room = new QueueRoom(maxEvents, maxBytes);
    this.feed = feed;
    this.reads = new KeyReads(feed);
  }

  boolean isStopped() {
    return stopped;
  }

  /** Null if the key has nothing here. */
  KeyState get(EventKey key) {
    return keys.get(key);
  }

  Collection<KeyState> all() {
    return keys.values();
  }

  int size() {
    return keys.size();
  }

  // ---- room

  /** Whether there was room for it. */
  boolean takeRoom(KeyedDelivery delivery) {
    return room.take(delivery.bytes());
  }

  void freeRoom(KeyedDelivery delivery) {
    room.free(delivery.bytes());
    roomLeft.signal();
  }

  int roomLeft() {
    return room.left();
  }

  /** How many events have room. */
  int events() {
    return room.events();
  }

  /** Waits until there is room, for {@code nanos} at most; returns for how many events. */
  int awaitRoom(long nanos) throws InterruptedException {
    long left = nanos;
    while (room.left() == 0 && !stopped && left > 0) {
      left = roomLeft.awaitNanos(left);
    }
    return room.left();
  }

  // ---- turns

  /** Adds an event for which there is room, before those of its key with larger numbers. */
  KeyState add(KeyedDelivery delivery) {
    KeyState state = keys.computeIfAbsent(delivery.key(), KeyState::new);
    state.waiting.put(delivery.seq(), delivery);
    makeReady(state);
    return state;
  }

  void makeReady(KeyState state) {
    if (state.becomesReady()) {
      ready.add(state);
      work.signal();
    }
  }

  /** The next key whose turn it is; null if there is none. */
  KeyState nextReady() {
    KeyState next = stopped ? null : ready.poll();
    if (next != null) {
      next.queued = false;
    }
    return next;
  }

  /** Somebody is to look for work, or to see that there is none any more. */
  void signalWork() {
    work.signal();
  }

  void awaitWork() throws InterruptedException {
    work.await();
  }

  void readOn(KeyState state) {
    reads.goOn(state.reads, state.waiting.size());
  }

  void forgetIfEmpty(KeyState state) {
    if (state.isEmpty()) {
      keys.remove(state.key, state); // it may have been forgotten before, and begun anew
    }
  }

  // ---- left in the table

  /** Nothing of this key may start before {@code at}: others have more use for the room. */
  void leaveInTable(KeyState state, Instant at) {
    dropWaiting(state);
    feed.readAt(state.key, at);
  }

  void dropWaiting(KeyState state) {
    for (KeyedDelivery delivery : state.waiting.values()) {
      freeRoom(delivery);
      delivery.drop();
      feed.dropped(delivery);
    }
    state.waiting.clear();
    reads.restart(state.reads);
  }

  /** Drops what waits of some keys; returns these. */
  List<KeyState> drop(Predicate<KeyState> unwanted) {
    List<KeyState> dropped = keys.values().stream().filter(unwanted).toList();
    dropped.forEach(this::dropWaiting);
    dropped.forEach(this::forgetIfEmpty);
    return dropped;
  }

  /** Nobody waits any more, and nothing waits. */
  void stop() {
    stopped = true;
    reads.stop();
    keys.values().forEach(this::dropWaiting);
    work.signalAll();
    roomLeft.signalAll();
  }
}
