package io.outbox.internal.keyed;

import io.outbox.internal.Guard;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.spi.lanes.Lane;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;

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

  private final EngineClock clock;
  private final boolean blockAfterDead;
  private final Guard lock = new Guard();
  private final Condition work = lock.newCondition();
  private final Condition roomLeft = lock.newCondition();
  private final QueueRoom room;
  private final Map<EventKey, KeyState> keys = new HashMap<>();
  private final ArrayDeque<KeyState> ready = new ArrayDeque<>();
  private final ArrayDeque<KeyedDelivery> again = new ArrayDeque<>(); // their keys wait for them
  private final KeyReads.Feed feed;
  private final KeyReads reads;
  private final RecentBlocks blocks = new RecentBlocks();
  private boolean stopped;

  public KeyQueues(
      EngineClock clock, int maxEvents, long maxBytes, boolean blockAfterDead, KeyReads.Feed feed) {
    this.clock = clock;
    this.room = new QueueRoom(maxEvents, maxBytes);
    this.blockAfterDead = blockAfterDead;
    this.feed = feed;
    this.reads = new KeyReads(feed);
  }

  // ---- from the table

  /** To be called before the table is asked; until the next read, what was read may be outdated. */
  void readStarted() {
    try (Guard guard = lock.lock()) {
      reads.started();
    }
  }

  /** As {@link #readStarted()}. Nothing is decided anew between that and the choice of keys. */
  Map<EventKey, Long> readStarted(Supplier<Map<EventKey, Long>> choice) {
    try (Guard guard = lock.lock()) {
      reads.started();
      Map<EventKey, Long> chosen = choice.get();
      reads.chosen(chosen.keySet());
      return chosen;
    }
  }

  /** There is something new for this key in the table. */
  public void committed(EventKey key) {
    try (Guard guard = lock.lock()) {
      KeyState state = keys.get(key);
      if (state == null) {
        feed.readFirst(key);
      } else {
        reads.committed(state.reads, state.waiting.size());
      }
    }
  }

  /** As {@link #committed}, some time ago: its key may have been parked for a later event since. */
  void wasCommitted(EventKey key) {
    try (Guard guard = lock.lock()) {
      if (keys.containsKey(key)) {
        committed(key);
      } else {
        feed.readAnyway(key);
      }
    }
  }

  /**
   * There is something due of this key in the table that is not here.
   *
   * @return whether nobody knew that there is anything
   */
  boolean isDue(EventKey key) {
    try (Guard guard = lock.lock()) {
      KeyState state = keys.get(key);
      if (state == null) {
        return feed.readFirst(key);
      }
      if (!state.reads.hasMore()) {
        feed.readAnyway(key); // it may be before those that are here
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
    try (Guard guard = lock.lock()) {
      EventKey key = delivery.key();
      if (stopped || reads.isOutdated(key) || isBlocked(delivery, blocker)) {
        return Offer.REFUSED;
      }
      if (!room.take(delivery.bytes())) {
        return Offer.FULL;
      }
      KeyState state = keys.computeIfAbsent(key, KeyState::new);
      state.waiting.put(delivery.seq(), delivery);
      if (!delivery.blocksItsKey()) { // events before that may wait for it
        state.reads.accepted(delivery.seq());
      }
      makeReady(state);
      return Offer.ACCEPTED;
    }
  }

  /** How many keys were blocked here so far. */
  long blocksAdded() {
    try (Guard guard = lock.lock()) {
      return blocks.added();
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
    try (Guard guard = lock.lock()) {
      EventKey key = delivery.key();
      if (stopped
          || keys.containsKey(key)
          || reads.mayBring(key)
          || blocks.added() != blocksThen
          || !room.take(delivery.bytes())) {
        return false;
      }
      if (!hold.getAsBoolean()) {
        left(delivery);
        return false;
      }
      KeyState state = new KeyState(key);
      keys.put(key, state);
      state.waiting.put(delivery.seq(), delivery);
      makeReady(state);
      return true;
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
    try (Guard guard = lock.lock()) {
      KeyState state = keys.get(key);
      if (reads.isOutdated(key)) {
        return true; // it was decided anew when to read it
      }
      if (state != null && state.isBusy()) {
        return false;
      }
      feed.readAt(key, at);
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
    try (Guard guard = lock.lock()) {
      reads.ended(key);
      KeyState state = keys.get(key);
      if (state != null) {
        reads.ended(state.reads, more, window, state.waiting.size());
        forgetIfEmpty(state);
      }
    }
  }

  /** A read that was wanted did not come to this key, or found no room for it. */
  void wasNotRead(EventKey key, long afterSeq) {
    try (Guard guard = lock.lock()) {
      reads.ended(key);
      KeyState state = keys.get(key);
      if (reads.isOutdated(key)) {
        return; // it was decided anew when to read it
      }
      if (state == null) {
        feed.readAnyway(key); // it was wanted, whatever it is parked for
      } else {
        reads.repeat(state.reads, afterSeq);
      }
    }
  }

  /** Waits until there is room, for {@code nanos} at most; returns for how many events. */
  int awaitRoom(long nanos) throws InterruptedException {
    long left = nanos;
    try (Guard guard = lock.lockInterruptibly()) {
      while (room.left() == 0 && !stopped && left > 0) {
        left = roomLeft.awaitNanos(left);
      }
      return room.left();
    }
  }

  /** For how many events there is room. */
  int roomLeft() {
    try (Guard guard = lock.lock()) {
      return room.left();
    }
  }

  /** How many keys have events here. */
  int keyCount() {
    try (Guard guard = lock.lock()) {
      return keys.size();
    }
  }

  /** How many events wait here. */
  public int waiting() {
    try (Guard guard = lock.lock()) {
      return room.events();
    }
  }

  private void makeReady(KeyState state) {
    if (state.becomesReady()) {
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
    try (Guard guard = lock.lockInterruptibly()) {
      KeyedDelivery next = poll();
      while (next == null && !stopped) {
        work.await();
        next = poll();
      }
      return next;
    }
  }

  /** Hands out an event once more that a worker had, before others; its key waits for it. */
  public void again(KeyedDelivery delivery) {
    try (Guard guard = lock.lock()) {
      again.add(delivery);
      work.signal();
    }
  }

  /** As {@link #take}, without waiting. */
  KeyedDelivery poll() {
    try (Guard guard = lock.lock()) {
      if (!again.isEmpty() && !stopped) {
        return again.poll();
      }
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
    }
  }

  /**
   * Whether an event may start in this term of its lane. What was read under an earlier term may
   * have been done elsewhere since; what was done under an earlier term will not be written, and
   * has to be done again first.
   */
  public boolean mayStart(KeyedDelivery delivery, Lane lane) {
    try (Guard guard = lock.lock()) {
      return lane.equals(delivery.term())
          && !delivery.isRevoked()
          && keys.get(delivery.key()).unwritten.belongsTo(lane);
    }
  }

  private KeyedDelivery firstDue(KeyState state) {
    Instant later = state.dueAfter(clock.now());
    if (later != null) {
      leaveInTable(state, later);
    }
    if (state.waiting.isEmpty()) {
      return null; // they were dropped
    }
    KeyedDelivery first = state.waiting.pollFirstEntry().getValue();
    left(first);
    return first;
  }

  private void left(KeyedDelivery delivery) {
    room.free(delivery.bytes());
    roomLeft.signal();
  }

  /** Nothing of this key may start before {@code at}: others have more use for the room. */
  private void leaveInTable(KeyState state, Instant at) {
    dropWaiting(state);
    feed.readAt(state.key, at);
  }

  private void dropWaiting(KeyState state) {
    for (KeyedDelivery delivery : state.waiting.values()) {
      left(delivery);
      delivery.drop();
      feed.dropped(delivery);
    }
    state.waiting.clear();
    reads.restart(state.reads);
  }

  /** Its listener has answered; to be called before its outcome is handed to the recorder. */
  public void answered(KeyedDelivery delivery) {
    try (Guard guard = lock.lock()) {
      keys.get(delivery.key()).unwritten.add(delivery);
    }
  }

  /** Its outcome is with the recorder: after a success the next of the key may start. */
  public void handedOver(KeyedDelivery delivery, Outcome outcome) {
    if (outcome.status() != EventStatus.DONE || delivery.settlesFirst()) {
      return;
    }
    try (Guard guard = lock.lock()) {
      KeyState state = keys.get(delivery.key());
      if (state != null && state.running == delivery) {
        state.running = null;
        makeReady(state);
        readOn(state);
        forgetIfEmpty(state);
      }
    }
  }

  /** It has no outcome. Its key is read again at {@code at}. */
  public void putBack(KeyedDelivery delivery, Instant at) {
    try (Guard guard = lock.lock()) {
      KeyState state = keys.get(delivery.key());
      if (state != null && state.running == delivery) {
        state.settled(delivery); // its answer may have failed on the way to the recorder
        leaveInTable(state, at);
        forgetIfEmpty(state);
      }
    }
  }

  /** Its outcome is in the database. */
  public void written(KeyedDelivery delivery, Outcome outcome) {
    try (Guard guard = lock.lock()) {
      KeyState state = keys.get(delivery.key());
      state.settled(delivery);
      switch (outcome.status()) {
        case DONE -> {
          if (delivery.blocksItsKey()) {
            feed.readFirst(delivery.key()); // the others were refused so far
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
    }
  }

  /**
   * Its outcome will never be written: whatever the table says now counts. It may come again, and
   * those behind it must come after it.
   */
  public void abandoned(KeyedDelivery delivery, Instant readAgainAt) {
    try (Guard guard = lock.lock()) {
      KeyState state = keys.get(delivery.key());
      state.settled(delivery);
      state.revoke();
      leaveInTable(state, readAgainAt);
      forgetIfEmpty(state);
    }
  }

  /** Those that may be written together: of each key the first ones. */
  Set<KeyedDelivery> writable(Collection<KeyedDelivery> deliveries) {
    Set<KeyedDelivery> asked = new HashSet<>(deliveries);
    Set<KeyedDelivery> writable = new HashSet<>();
    try (Guard guard = lock.lock()) {
      for (KeyedDelivery delivery : deliveries) {
        keys.get(delivery.key()).unwritten.addWritable(asked, writable);
      }
      return writable;
    }
  }

  // ---- pauses

  /** Drops what waits of keys with an event that is paused; what is before that is read again. */
  public void putBack(Predicate<KeyedDelivery> paused) {
    try (Guard guard = lock.lock()) {
      drop(state -> state.waiting.values().stream().anyMatch(paused))
          .forEach(state -> feed.readFirst(state.key));
    }
  }

  // ---- lanes

  /** Drops what waits in lanes that are not open any more. */
  public void keepOnly(IntPredicate open) {
    try (Guard guard = lock.lock()) {
      drop(state -> !open.test(state.key.lane()));
    }
  }

  private List<KeyState> drop(Predicate<KeyState> unwanted) {
    List<KeyState> dropped = keys.values().stream().filter(unwanted).toList();
    dropped.forEach(this::dropWaiting);
    dropped.forEach(this::forgetIfEmpty);
    return dropped;
  }

  /** What workers have, and what failed and is not written. */
  public List<KeyedDelivery> running() {
    try (Guard guard = lock.lock()) {
      return keys.values().stream().map(state -> state.running).filter(Objects::nonNull).toList();
    }
  }

  /** Hands out nothing more, and drops what waits. */
  public void stop() {
    try (Guard guard = lock.lock()) {
      stopped = true;
      reads.stop();
      keys.values().forEach(this::dropWaiting);
      work.signalAll();
      roomLeft.signalAll();
    }
  }
}
