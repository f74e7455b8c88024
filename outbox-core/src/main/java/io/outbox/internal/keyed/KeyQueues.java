package io.outbox.internal.keyed;

import io.outbox.internal.Guard;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.spi.lanes.Lane;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Events by key. Of each key one event at a time is with a worker, the one with the smallest
 * number; keys take turns. After a success the next may start though the outcome is not written
 * yet; any other outcome is waited for. Bounded in events and bytes. Thread-safe.
 */
public final class KeyQueues {

  private final EngineClock clock;
  private final boolean blockAfterDead;
  private final ArrayDeque<KeyedDelivery> again = new ArrayDeque<>(); // their keys wait for them
  private final KeyStates states;
  private final KeyIntake intake;

  public KeyQueues(
      EngineClock clock, int maxEvents, long maxBytes, boolean blockAfterDead, KeyReads.Feed feed) {
    this.clock = clock;
    this.blockAfterDead = blockAfterDead;
    this.states = new KeyStates(maxEvents, maxBytes, feed);
    this.intake = new KeyIntake(states);
  }

  /** Where events come in. */
  public KeyIntake intake() {
    return intake;
  }

  /** How many events wait here. */
  public int waiting() {
    try (Guard guard = states.lock.lock()) {
      return states.events();
    }
  }

  // ---- to the workers and back

  /** Waits for an event whose turn it is; null when there will be none any more. */
  public KeyedDelivery take() throws InterruptedException {
    try (Guard guard = states.lock.lockInterruptibly()) {
      KeyedDelivery next = poll();
      while (next == null && !states.isStopped()) {
        states.awaitWork();
        next = poll();
      }
      return next;
    }
  }

  /** Hands out an event once more that a worker had, before others; its key waits for it. */
  public void again(KeyedDelivery delivery) {
    try (Guard guard = states.lock.lock()) {
      again.add(delivery);
      states.signalWork();
    }
  }

  /** As {@link #take}, without waiting. */
  KeyedDelivery poll() {
    try (Guard guard = states.lock.lock()) {
      if (!again.isEmpty() && !states.isStopped()) {
        return again.poll();
      }
      for (KeyState state = states.nextReady(); state != null; state = states.nextReady()) {
        KeyedDelivery first = firstDue(state);
        if (first != null) {
          state.running = first;
          states.readOn(state);
          return first;
        }
        states.forgetIfEmpty(state);
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
    try (Guard guard = states.lock.lock()) {
      return lane.equals(delivery.term())
          && !delivery.isRevoked()
          && states.get(delivery.key()).unwritten.belongsTo(lane);
    }
  }

  private KeyedDelivery firstDue(KeyState state) {
    Instant later = state.dueAfter(clock.now());
    if (later != null) {
      states.leaveInTable(state, later);
    }
    if (state.waiting.isEmpty()) {
      return null; // they were dropped
    }
    KeyedDelivery first = state.waiting.pollFirstEntry().getValue();
    states.freeRoom(first);
    return first;
  }

  /** Its listener has answered; to be called before its outcome is handed to the recorder. */
  public void answered(KeyedDelivery delivery) {
    try (Guard guard = states.lock.lock()) {
      states.get(delivery.key()).unwritten.add(delivery);
    }
  }

  /** Its outcome is with the recorder: after a success the next of the key may start. */
  public void handedOver(KeyedDelivery delivery, Outcome outcome) {
    if (outcome.status() != EventStatus.DONE || delivery.settlesFirst()) {
      return;
    }
    try (Guard guard = states.lock.lock()) {
      KeyState state = states.get(delivery.key());
      if (state != null && state.running == delivery) {
        state.running = null;
        states.makeReady(state);
        states.readOn(state);
        states.forgetIfEmpty(state);
      }
    }
  }

  /** It has no outcome. Its key is read again at {@code at}. */
  public void putBack(KeyedDelivery delivery, Instant at) {
    try (Guard guard = states.lock.lock()) {
      KeyState state = states.get(delivery.key());
      if (state != null && state.running == delivery) {
        state.settled(delivery); // its answer may have failed on the way to the recorder
        states.leaveInTable(state, at);
        states.forgetIfEmpty(state);
      }
    }
  }

  /** Its outcome is in the database. */
  public void written(KeyedDelivery delivery, Outcome outcome) {
    try (Guard guard = states.lock.lock()) {
      KeyState state = states.get(delivery.key());
      state.settled(delivery);
      switch (outcome.status()) {
        case DONE -> {
          if (delivery.blocksItsKey()) {
            states.feed.readFirst(delivery.key()); // the others were refused so far
          }
        }
        case NEW, RETRY -> states.leaveInTable(state, outcome.at());
        case DEAD -> {
          if (blockAfterDead) {
            states.blocks.add(delivery.key(), delivery.eventId(), states.reads.count());
            states.dropWaiting(state);
          }
        }
      }
      states.makeReady(state);
      states.forgetIfEmpty(state);
    }
  }

  /**
   * Its outcome will never be written: whatever the table says now counts. It may come again, and
   * those behind it must come after it.
   */
  public void abandoned(KeyedDelivery delivery, Instant readAgainAt) {
    try (Guard guard = states.lock.lock()) {
      KeyState state = states.get(delivery.key());
      state.settled(delivery);
      state.revoke();
      states.leaveInTable(state, readAgainAt);
      states.forgetIfEmpty(state);
    }
  }

  /** Those that may be written together: of each key the first ones. */
  Set<KeyedDelivery> writable(Collection<KeyedDelivery> deliveries) {
    Set<KeyedDelivery> asked = new HashSet<>(deliveries);
    Set<KeyedDelivery> writable = new HashSet<>();
    try (Guard guard = states.lock.lock()) {
      for (KeyedDelivery delivery : deliveries) {
        states.get(delivery.key()).unwritten.addWritable(asked, writable);
      }
      return writable;
    }
  }

  // ---- pauses

  /** Drops what waits of keys with an event that is paused; what is before that is read again. */
  public void putBack(Predicate<KeyedDelivery> paused) {
    try (Guard guard = states.lock.lock()) {
      states
          .drop(state -> state.waiting.values().stream().anyMatch(paused))
          .forEach(state -> states.feed.readFirst(state.key));
    }
  }

  // ---- lanes

  /** Drops what waits in lanes that are not open any more. */
  public void keepOnly(IntPredicate open) {
    try (Guard guard = states.lock.lock()) {
      states.drop(state -> !open.test(state.key.lane()));
    }
  }

  /** What workers have, and what failed and is not written. */
  public List<KeyedDelivery> running() {
    try (Guard guard = states.lock.lock()) {
      return states.all().stream().map(state -> state.running).filter(Objects::nonNull).toList();
    }
  }

  /** Hands out nothing more, and drops what waits. */
  public void stop() {
    try (Guard guard = states.lock.lock()) {
      states.stop();
    }
  }
}
