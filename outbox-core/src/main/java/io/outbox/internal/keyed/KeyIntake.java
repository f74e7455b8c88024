package io.outbox.internal.keyed;

import io.outbox.internal.Guard;
import io.outbox.model.EventKey;
import java.time.Instant;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The side of the queues where events come in: what reads of the table bring, and what is known of
 * keys that have something new there. Thread-safe.
 */
public final class KeyIntake {

  /** What became of an event that was offered. */
  enum Offer {
    ACCEPTED,
    /** Its key waits, or nothing is taken any more. */
    REFUSED,
    FULL
  }

  private final KeyStates states;

  KeyIntake(KeyStates states) {
    this.states = states;
  }

  /** To be called before the table is asked; until the next read, what was read may be outdated. */
  void readStarted() {
    try (Guard guard = states.lock.lock()) {
      states.reads.started();
    }
  }

  /** As {@link #readStarted()}. Nothing is decided anew between that and the choice of keys. */
  Map<EventKey, Long> readStarted(Supplier<Map<EventKey, Long>> choice) {
    try (Guard guard = states.lock.lock()) {
      states.reads.started();
      Map<EventKey, Long> chosen = choice.get();
      states.reads.chosen(chosen.keySet());
      return chosen;
    }
  }

  /** There is something new for this key in the table. */
  public void committed(EventKey key) {
    try (Guard guard = states.lock.lock()) {
      KeyState state = states.get(key);
      if (state == null) {
        states.feed.readFirst(key);
      } else {
        states.reads.committed(state.reads, state.waiting.size());
      }
    }
  }

  /**
   * There is something due of this key in the table that is not here.
   *
   * @return whether nobody knew that there is anything
   */
  boolean isDue(EventKey key) {
    try (Guard guard = states.lock.lock()) {
      KeyState state = states.get(key);
      if (state == null) {
        return states.feed.readFirst(key);
      }
      if (!state.reads.hasMore()) {
        states.feed.readAnyway(key); // it may be before those that are here
      }
      return false;
    }
  }

  /**
   * Queues an event before those of its key with larger numbers.
   *
   * @param blocker the event that blocks its key in the table; null if none does
   */
  Offer offer(KeyedDelivery delivery, String blocker) {
    try (Guard guard = states.lock.lock()) {
      EventKey key = delivery.key();
      if (states.isStopped() || states.reads.isOutdated(key) || isBlocked(delivery, blocker)) {
        return Offer.REFUSED;
      }
      if (!states.takeRoom(delivery)) {
        return Offer.FULL;
      }
      KeyState state = states.add(delivery);
      if (!delivery.blocksItsKey()) { // events before that may wait for it
        state.reads.accepted(delivery.seq());
      }
      return Offer.ACCEPTED;
    }
  }

  /**
   * Whether events of this key are here or may come from the table soon: a new one is not the first
   * that can start.
   */
  boolean isBusy(EventKey key) {
    try (Guard guard = states.lock.lock()) {
      KeyState state = states.get(key);
      return state != null && state.isBusy() || states.reads.mayBring(key);
    }
  }

  /** How many keys were blocked here so far. */
  long blocksAdded() {
    try (Guard guard = states.lock.lock()) {
      return states.blocks.added();
    }
  }

  /**
   * Queues an event that was the only one of its key in the table, and still is as far as is known
   * here.
   *
   * @param blocksThen how many keys had been blocked here before the table was asked
   * @param hold takes the event, if nobody has it. Called only if there is a place for the event: a
   *     read that finds it taken goes on to the next of its key
   * @return false if its key has to be read
   */
  boolean offerAlone(KeyedDelivery delivery, long blocksThen, BooleanSupplier hold) {
    try (Guard guard = states.lock.lock()) {
      EventKey key = delivery.key();
      if (states.isStopped()
          || states.get(key) != null
          || states.reads.mayBring(key)
          || states.blocks.added() != blocksThen
          || !states.takeRoom(delivery)) {
        return false;
      }
      if (!hold.getAsBoolean()) {
        states.freeRoom(delivery);
        return false;
      }
      states.add(delivery);
      return true;
    }
  }

  /** The replay of an event that blocks its key is a way to lift the block. */
  private boolean isBlocked(KeyedDelivery delivery, String blocker) {
    String eventId = states.blocks.blockerOf(delivery.key(), states.reads.count(), blocker);
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
    try (Guard guard = states.lock.lock()) {
      KeyState state = states.get(key);
      if (states.reads.isOutdated(key)) {
        return true; // it was decided anew when to read it
      }
      if (state != null && state.isBusy()) {
        return false;
      }
      states.feed.readAt(key, at);
      return true;
    }
  }

  /**
   * A read of this key has ended, and what it found was offered.
   *
   * @param more whether there may be more behind that
   * @param window how many events of a key are read at a time
   */
  void wasRead(EventKey key, boolean more, int window) {
    try (Guard guard = states.lock.lock()) {
      states.reads.ended(key);
      KeyState state = states.get(key);
      if (state != null) {
        states.reads.ended(state.reads, more, window, state.waiting.size());
        states.forgetIfEmpty(state);
      }
    }
  }

  /** A read that was wanted did not come to this key, or found no room for it. */
  void wasNotRead(EventKey key, long afterSeq) {
    try (Guard guard = states.lock.lock()) {
      states.reads.ended(key);
      KeyState state = states.get(key);
      if (states.reads.isOutdated(key)) {
        return; // it was decided anew when to read it
      }
      if (state == null) {
        states.feed.readAnyway(key); // it was wanted, whatever it is parked for
      } else {
        states.reads.repeat(state.reads, afterSeq);
      }
    }
  }

  /** Waits until there is room, for {@code nanos} at most; returns for how many events. */
  int awaitRoom(long nanos) throws InterruptedException {
    try (Guard guard = states.lock.lockInterruptibly()) {
      return states.awaitRoom(nanos);
    }
  }

  /** For how many events there is room. */
  int roomLeft() {
    try (Guard guard = states.lock.lock()) {
      return states.roomLeft();
    }
  }

  /** How many keys have events here. */
  int keyCount() {
    try (Guard guard = states.lock.lock()) {
      return states.size();
    }
  }
}
