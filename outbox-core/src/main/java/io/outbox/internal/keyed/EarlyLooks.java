package io.outbox.internal.keyed;

import io.outbox.EventEnvelope;
import io.outbox.internal.Guard;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
 * pending of a key after an insert is all that can ever come before the new event, but for replays.
 * Of each key there is one look at a time, and looks are bounded in events and bytes. Thread-safe.
 */
public final class EarlyLooks {

  private static final Logger LOG = PrintableLogger.of(EarlyLooks.class);

  private static final int MAX_EVENTS = 1000;
  private static final long MAX_BYTES = 16L * 1024 * 1024;
  private static final int KEYS_PER_QUESTION = 200;

  /** So many keys are worth a question of their own. */
  private static final int MANY = 20;

  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** An event that was written and is not committed, or waits for its answer. */
  public static final class Look {
    private final EventKey key;
    private final EventEnvelope event;
    private final Lane term;
    private long blocksThen;
    private boolean answered;
    private boolean alone;
    private boolean committed;

    private Look(EventKey key, EventEnvelope event, Lane term) {
      this.key = key;
      this.event = event;
      this.term = term;
    }
  }

  private final StoreSession session;
  private final LaneStore store;
  private final StoredBlocks blocks;
  private final HeldEvents held;
  private final KeyQueues queues;
  private final Guard lock = new Guard();
  private final QueueRoom room;
  private final Map<EventKey, Look> open = new HashMap<>();
  private final ArrayDeque<Look> unasked = new ArrayDeque<>();
  private final EngineThread thread =
      new EngineThread("outbox-looks-", "keys cannot be looked at", this::run);
  private volatile boolean canTell; // until the store says that it cannot
  private long askedNanos = System.nanoTime() - GATHER_NANOS; // for the thread alone

  /**
   * @param allowed false if every row is to be seen before it is delivered
   */
  public EarlyLooks(
      StoreSession session,
      LaneStore store,
      StoredBlocks blocks,
      HeldEvents held,
      KeyQueues queues,
      long maxQueuedBytes,
      boolean allowed) {
    this.session = session;
    this.store = store;
    this.blocks = blocks;
    this.held = held;
    this.queues = queues;
    this.room = new QueueRoom(MAX_EVENTS, Math.min(MAX_BYTES, maxQueuedBytes));
    this.canTell = allowed;
  }

  public void start() {
    if (canTell) {
      thread.start();
    }
  }

  /** Waits for {@code nanos} at most. */
  public void close(long nanos) throws InterruptedException {
    canTell = false;
    thread.close();
    thread.join(nanos);
  }

  // ---- for writers

  /**
   * An event was inserted, and will be due when it is committed.
   *
   * @param term the lane of its key, as this node owns it
   * @return null if its key is to be read after the commit; otherwise tell how its transaction ends
   */
  public Look written(EventKey key, EventEnvelope event, Lane term) {
    if (!canTell) {
      return null;
    }
    Look look = new Look(key, event, term);
    try (Guard guard = lock.lock()) {
      if (open.containsKey(key) || !room.take(Delivery.bytesOf(event))) {
        return null;
      }
      open.put(key, look);
      unasked.add(look);
    }
    held.replaceTicket(event); // a poll may see the row before its writer is told of the commit
    thread.wake();
    return look;
  }

  /** Its transaction is committed. */
  public void committed(Look look) {
    try (Guard guard = lock.lock()) {
      look.committed = true;
      if (!look.answered && open.get(look.key) == look) {
        return; // the answer is on its way
      }
      end(look);
    }
    deliver(look);
  }

  /** It will not be committed, or is not to be delivered now. */
  public void ended(Look look) {
    try (Guard guard = lock.lock()) {
      end(look);
    }
    forget(held.endTicket(look.event));
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
    if (open.remove(look.key, look)) {
      room.free(Delivery.bytesOf(look.event));
    }
  }

  private void deliver(Look look) {
    HeldEvents.Ticket ticket = held.endTicket(look.event);
    if (ticket == null || !look.alone || !isQueued(look, ticket)) {
      forget(ticket);
      queues.committed(look.key);
    }
  }

  private boolean isQueued(Look look, HeldEvents.Ticket ticket) {
    KeyedDelivery delivery = KeyedDelivery.ofCommitted(look.event, look.key, look.term);
    return queues.offerAlone(delivery, look.blocksThen, () -> held.holdCommitted(ticket, delivery));
  }

  private void forget(HeldEvents.Ticket ticket) {
    if (ticket != null) {
      held.forget(ticket);
    }
  }

  // ---- the thread

  private long run() throws InterruptedException {
    gather();
    return step() ? 0 : IDLE_NANOS;
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
      asked.forEach(look -> answered(look, alone.contains(look.key)));
    }
    return true;
  }

  private List<Look> take() {
    List<Look> taken = new ArrayList<>();
    long blocksNow = queues.blocksAdded(); // first: a later block is not what will be seen
    try (Guard guard = lock.lock()) {
      while (!unasked.isEmpty() && taken.size() < KEYS_PER_QUESTION) {
        Look next = unasked.poll();
        if (open.get(next.key) == next) {
          next.blocksThen = blocksNow;
          taken.add(next);
        }
      }
    }
    return taken;
  }

  /** The keys of which nothing else is pending, and that are not blocked. */
  private Set<EventKey> alone(List<Look> looks) {
    Map<EventKey, String> ids = new LinkedHashMap<>();
    looks.forEach(look -> ids.put(look.key, look.event.eventId()));
    Optional<Set<EventKey>> others = others(ids);
    canTell &= others.isPresent();
    if (others.isEmpty()) {
      return Set.of();
    }
    Set<EventKey> alone = new HashSet<>(ids.keySet());
    alone.removeAll(others.get());
    alone.removeAll(blocks.of(alone).keySet());
    return alone;
  }

  private Optional<Set<EventKey>> others(Map<EventKey, String> ids) {
    try {
      return session.read(conn -> store.withOthers(conn, ids));
    } catch (RuntimeException e) {
      if (StoreFailures.kindOf(e) != StoreFailures.Kind.REFUSED) {
        throw e;
      }
      LOG.log(
          Level.INFO,
          "events are read from the table after their commit, because the database refuses the"
              + " question whether they are the only ones of their keys",
          e);
      return Optional.empty();
    }
  }

  private void answered(Look look, boolean alone) {
    try (Guard guard = lock.lock()) {
      look.answered = true;
      look.alone = alone;
      if (!look.committed) {
        return;
      }
      end(look);
    }
    deliver(look);
  }
}
