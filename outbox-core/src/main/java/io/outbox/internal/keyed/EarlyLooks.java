package io.outbox.internal.keyed;

import io.outbox.EventEnvelope;
import io.outbox.internal.Guard;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.Lane;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Looks, while a transaction is still being committed, whether anything else is pending of its
 * events' keys. If not, such an event is delivered from memory as soon as it is committed; any
 * other is read in its turn.
 *
 * <p>Whoever wants the events of a key in order commits one before the next is written. So what is
 * pending of a key after an insert is all that can ever come before the new event, but for replays
 * and for events of the same transaction. Of each key there is therefore one look at a time, and
 * none beside events that are not looked at. Looks are bounded in events and bytes. Thread-safe.
 */
public final class EarlyLooks {

  private static final int MAX_EVENTS = 1000;
  private static final long MAX_BYTES = 16L * 1024 * 1024;
  private static final int KEYS_PER_QUESTION = 200;

  /** So many keys are worth a question of their own. */
  private static final int MANY = 20;

  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LoneKeys loneKeys;
  private final EngineClock clock;
  private final HeldEvents held;
  private final KeyIntake intake;
  private final Guard lock = new Guard();
  private final QueueRoom room;
  private final Map<EventKey, Look> open = new HashMap<>();
  private final Set<Look> unasked = new LinkedHashSet<>();
  private final BarredKeys barred = new BarredKeys();
  private final EngineThread thread =
      new EngineThread("outbox-looks-", "keys cannot be looked at", this::run);
  private final RepeatedWarning warning = new RepeatedWarning(EarlyLooks.class, Level.WARNING);
  private volatile boolean canTell; // until the store says that it cannot
  private long askedNanos = System.nanoTime() - GATHER_NANOS; // for the thread alone

  /**
   * @param allowed false if every row is to be seen before it is delivered
   */
  public EarlyLooks(
      LoneKeys loneKeys,
      EngineClock clock,
      HeldEvents held,
      KeyIntake intake,
      long maxQueuedBytes,
      boolean allowed) {
    this.loneKeys = loneKeys;
    this.clock = clock;
    this.held = held;
    this.intake = intake;
    this.room = new QueueRoom(MAX_EVENTS, Math.min(MAX_BYTES, maxQueuedBytes));
    this.canTell = allowed;
  }

  public void start() {
    if (canTell) {
      thread.start();
    }
  }

  public void close() {
    canTell = false;
    thread.close();
  }

  /** Waits for its end, for {@code nanos} at most. */
  public void join(long nanos) throws InterruptedException {
    thread.join(nanos);
  }

  // ---- for writers

  /**
   * An event was inserted, and will be due when it is committed.
   *
   * @param term the lane of its key, as this node owns it
   * @return how its transaction ends is to be told with this; null if nobody wants to know
   */
  public Look written(EventKey key, EventEnvelope event, Lane term) {
    Look look = Look.at(key, event, term);
    boolean busy = intake.isBusy(key); // what is here of it is before the new event
    try (Guard guard = lock.lock()) {
      if (!canTell) {
        return null;
      }
      if (busy || barred.contains(key) || open.containsKey(key) || !room.take(look.bytes())) {
        return barring(key);
      }
      open.put(key, look);
      unasked.add(look);
    }
    held.replaceTicket(event); // a poll may see the row before its writer is told of the commit
    thread.wake();
    return look;
  }

  /**
   * An event was inserted that may not be looked at: until its transaction has ended no other event
   * of its key is. As {@link #written}; {@code key} is null if there are events of any keys.
   */
  public Look unseen(EventKey key) {
    try (Guard guard = lock.lock()) {
      return canTell ? barring(key) : null;
    }
  }

  private Look barring(EventKey key) {
    return Look.barring(key, barred.add(key));
  }

  /** Its transaction is committed. */
  public void committed(Look look) {
    try (Guard guard = lock.lock()) {
      look.committed = true;
      if (!look.answered && open.get(look.key) == look) {
        return; // the answer is on its way
      }
    }
    deliverOrRead(look);
  }

  private void deliverOrRead(Look look) {
    try {
      if (look.barsItsKey() || !isDelivered(look)) {
        intake.committed(look.key);
      }
    } finally {
      ended(look);
    }
  }

  /** It will not be committed, or is not to be delivered now. */
  public void ended(Look look) {
    try (Guard guard = lock.lock()) {
      end(look);
    }
    if (!look.barsItsKey()) {
      forget(held.endTicket(look.event));
    }
  }

  /** Nobody will tell how its transaction ended. */
  public void expired(HeldEvents.Ticket ticket) {
    EventEnvelope event = ticket.envelope();
    try (Guard guard = lock.lock()) {
      Look look = open.get(EventKey.of(event));
      if (look != null && look.event == event) {
        end(look);
      }
    }
  }

  private void end(Look look) {
    if (look.barsItsKey() && !look.ended) {
      look.ended = true;
      look.bar.remove();
    } else if (open.remove(look.key, look)) {
      unasked.remove(look);
      room.free(look.bytes());
    }
  }

  /** Queues it, if it is alone and nobody has it; otherwise its key is to be read. */
  private boolean isDelivered(Look look) {
    HeldEvents.Ticket ticket = held.endTicket(look.event);
    boolean delivered = false;
    try {
      delivered = ticket != null && look.alone && isQueued(look, ticket);
      return delivered;
    } finally {
      if (!delivered) {
        forget(ticket);
      }
    }
  }

  private boolean isQueued(Look look, HeldEvents.Ticket ticket) {
    KeyedDelivery delivery =
        KeyedDelivery.ofCommitted(look.event, look.key, look.term, clock.now());
    return intake.offerAlone(delivery, look.blocksThen, () -> held.holdCommitted(ticket, delivery));
  }

  private void forget(HeldEvents.Ticket ticket) {
    if (ticket != null) {
      held.forget(ticket);
    }
  }

  // ---- the thread

  private long run() throws InterruptedException {
    gather();
    held.sweep();
    if (step()) {
      return 0;
    }
    try (Guard guard = lock.lock()) {
      barred.sweep(System.nanoTime());
      if (!canTell && unasked.isEmpty()) {
        thread.close();
      }
    }
    return IDLE_NANOS;
  }

  /** Beside busy writers a question is for the events of several transactions. */
  private void gather() throws InterruptedException {
    boolean few;
    try (Guard guard = lock.lock()) {
      few = !unasked.isEmpty() && unasked.size() < MANY;
    }
    if (few) {
      TimeUnit.NANOSECONDS.sleep(askedNanos + GATHER_NANOS - System.nanoTime());
    }
  }

  /** Asks once; returns whether there was anything to ask. */
  boolean step() {
    List<Look> asked = take();
    if (asked.isEmpty()) {
      return false;
    }
    askedNanos = System.nanoTime();
    Set<EventKey> alone = new HashSet<>();
    try {
      alone.addAll(alone(asked));
    } finally {
      asked.forEach(look -> answerSafely(look, alone.contains(look.key)));
    }
    return true;
  }

  private List<Look> take() {
    List<Look> taken = new ArrayList<>();
    long blocksNow = intake.blocksAdded(); // first: a later block is not what will be seen
    try (Guard guard = lock.lock()) {
      unasked.stream().limit(KEYS_PER_QUESTION).forEach(taken::add);
      taken.forEach(unasked::remove);
      taken.forEach(look -> look.blocksThen = blocksNow);
    }
    return taken;
  }

  /** The keys of which nothing else is pending. */
  private Set<EventKey> alone(List<Look> looks) {
    Map<EventKey, String> ids = new LinkedHashMap<>();
    looks.forEach(look -> ids.put(look.key, look.event.eventId()));
    Optional<Set<EventKey>> alone = loneKeys.of(ids);
    if (alone.isEmpty()) {
      canTell = false;
    }
    return alone.orElse(Set.of());
  }

  /** What is wrong with one of them must not keep the others waiting. */
  private void answerSafely(Look look, boolean alone) {
    try {
      answered(look, alone);
    } catch (Throwable e) {
      warning.log(() -> "after the look for event " + look.event.eventId(), e);
    }
  }

  private void answered(Look look, boolean alone) {
    try (Guard guard = lock.lock()) {
      look.answered = true;
      look.alone = alone;
      if (!look.committed) {
        return;
      }
    }
    deliverOrRead(look);
  }
}
