package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.internal.BacklogReport;
import io.outbox.internal.EngineClock;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.StoreSession;
import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.model.EventKey;
import io.outbox.model.KeyBlock;
import io.outbox.model.KeyPage;
import io.outbox.model.KeyQuery;
import io.outbox.model.Lane;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PollCursor;
import io.outbox.model.SinglesPage;
import io.outbox.spi.LaneStore;
import io.outbox.spi.MetricsExporter;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Reads events of owned lanes from the table into {@link KeyQueues}: at once those of keys that
 * somebody wants, and now and then from key to key all that there are. One thread.
 */
final class KeyFeeder implements KeyQueues.Feed {

  private static final Logger LOG = System.getLogger(KeyFeeder.class.getName());

  private static final int MAX_WANTED = 10_000;
  private static final int KEYS_PER_READ = 200;
  private static final int KEYS_PER_WALK = 1000;
  private static final int MAX_PER_KEY = 500;
  private static final int FIRST_PER_KEY = 10;
  private static final long MAX_BYTES = 16L * 1024 * 1024;

  /** A walk over keys of which nothing can start goes on only at the next interval. */
  private static final int MAX_FRUITLESS_KEYS = 2_000;

  private static final int MAX_DUE = 1_000;
  private static final int MAX_COUNTED = 1_000;
  private static final int MAX_CLAIMS = 100_000;
  private static final Duration LATE = Duration.ofSeconds(10);
  private static final Duration UNREADABLE_AGAIN = Duration.ofSeconds(5);
  private static final long FAILED_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long NOT_READY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long ROOM_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long CLOSE_MILLIS = 5000;

  private final StoreSession session;
  private final LaneStore store;
  private final EngineClock clock;
  private final OwnedLanes lanes;
  private final HeldEvents held;
  private final BooleanSupplier isReady;
  private final MetricsExporter metrics;
  private final BacklogReport backlog;
  private final boolean blockAfterDead;
  private final LongSupplier nanoTime;
  private final long intervalNanos;
  private final int maxRows;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final Thread thread;
  private KeyQueues queues;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<EventKey, Long> wanted = new LinkedHashMap<>(); // behind which number
  private final ParkedKeys parked = new ParkedKeys();
  private boolean overflowed; // some that were wanted are not known
  private volatile boolean closed;

  // For the thread alone.
  private Set<Lane> known = Set.of();
  private Map<Integer, Lane> terms = Map.of(); // the same by number
  private final Set<Lane> suspicious =
      new HashSet<>(); // taken from a dead node, not looked through
  private boolean unready; // nothing can be read, whatever is wanted
  private final Set<String> counted = new HashSet<>(); // events of those, each once
  private boolean mayBeBlocked = true;
  private boolean walking;
  private EventKey walkedTo; // null: from the beginning
  private boolean singles; // by time, before from key to key
  private PollCursor singlesTo; // null: from the beginning
  private int fruitless;
  private long walkLag; // the largest since the beginning of the walk
  private long nextWalkNanos;
  private Instant dueSince; // what became due before was seen, or will be by the walk

  /**
   * @param isReady false while outcomes wait for the database, for they go first
   * @param maxRows how many rows one statement may return
   */
  KeyFeeder(
      StoreSession session,
      LaneStore store,
      EngineClock clock,
      OwnedLanes lanes,
      HeldEvents held,
      BooleanSupplier isReady,
      MetricsExporter metrics,
      boolean blockAfterDead,
      LongSupplier nanoTime,
      long intervalNanos,
      int maxRows) {
    this.session = session;
    this.store = store;
    this.clock = clock;
    this.lanes = lanes;
    this.held = held;
    this.isReady = isReady;
    this.metrics = metrics;
    this.backlog = new BacklogReport(session, metrics);
    this.blockAfterDead = blockAfterDead;
    this.nanoTime = nanoTime;
    this.nextWalkNanos = nanoTime.getAsLong();
    this.intervalNanos = intervalNanos;
    this.maxRows = maxRows;
    this.thread = new DaemonThreadFactory("outbox-feeder-").newThread(this::run);
  }

  /** To be called first. */
  void feed(KeyQueues queues) {
    this.queues = queues;
  }

  void start() {
    thread.start();
  }

  void close() throws InterruptedException {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    thread.join(CLOSE_MILLIS);
  }

  // ---- what is wanted

  @Override
  public void readFirst(EventKey key) {
    lock.lock();
    try {
      if (!parked.contains(key)) {
        want(key, 0);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void readOn(EventKey key, long afterSeq) {
    lock.lock();
    try {
      // Whatever the limit: it waits for this read, and has something here, of which there is a
      // bounded number.
      wanted.merge(key, afterSeq, Math::min);
      changed.signal();
    } finally {
      lock.unlock();
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
    lock.lock();
    try {
      wanted.remove(key);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void readAt(EventKey key, Instant at) {
    lock.lock();
    try {
      parked.park(key, at);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void dropped(KeyedDelivery delivery) {
    held.release(delivery);
  }

  /** A delayed event was written. */
  void committed(EventKey key, Instant at) {
    lock.lock();
    try {
      if (!parked.contains(key)) {
        parked.park(key, at);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** There may be something new for any key. */
  void walkSoon() {
    lock.lock();
    try {
      overflowed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Other lanes are open than before. */
  void lanesChanged() {
    lock.lock();
    try {
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  int parkedKeys() {
    lock.lock();
    try {
      return parked.size();
    } finally {
      lock.unlock();
    }
  }

  Map<EventKey, Long> takeWanted(int limit) {
    Map<EventKey, Long> taken = new LinkedHashMap<>();
    lock.lock();
    try {
      parked.takeDue(clock.now()).forEach(key -> want(key, 0));
      Iterator<Map.Entry<EventKey, Long>> all = wanted.entrySet().iterator();
      while (all.hasNext() && taken.size() < limit) {
        Map.Entry<EventKey, Long> next = all.next();
        taken.put(next.getKey(), next.getValue());
        all.remove();
      }
      if (overflowed) {
        overflowed = false;
        nextWalkNanos = nanoTime.getAsLong();
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until something is wanted or due, a walk is due, or lanes have changed. */
  private void await() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long nanos = nextWalkNanos - nanoTime.getAsLong();
      Instant next = parked.next();
      if (next != null) {
        Duration left = Duration.between(clock.now(), next);
        nanos = left.toSeconds() > 60 ? nanos : Math.min(nanos, left.toNanos() + 1_000_000);
      }
      if (!closed && unready) {
        changed.awaitNanos(NOT_READY_NANOS);
      } else if (!closed && wanted.isEmpty() && !overflowed && nanos > 0) {
        changed.awaitNanos(nanos);
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- the thread

  private void run() {
    while (!closed) {
      try {
        int room = queues.awaitRoom(ROOM_NANOS);
        if (room > 0 && !step(room)) {
          await();
        }
      } catch (InterruptedException e) {
        return;
      } catch (Throwable e) {
        warning.log(() -> "events cannot be read; trying again", e);
        pause();
      }
    }
  }

  private void pause() {
    lock.lock();
    try {
      if (!closed) {
        changed.awaitNanos(FAILED_AGAIN_NANOS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Reads once, for at most {@code room} events; returns whether there may be more to do. */
  boolean step(int room) {
    Set<Lane> open = lanes.open();
    if (!open.equals(known)) {
      lanesAre(open);
    }
    unready = open.isEmpty() || !isReady.getAsBoolean();
    if (unready) {
      nextWalkNanos = nanoTime.getAsLong() + NOT_READY_NANOS;
      return false;
    }
    if (nextWalkNanos - nanoTime.getAsLong() <= 0) {
      nextWalkNanos = nanoTime.getAsLong() + intervalNanos;
      backlog.reportIfDue();
      lookForBlocks();
      startWalk();
    }
    queues.readStarted(); // before it is decided what to read
    Map<EventKey, Long> keys = takeWanted(KEYS_PER_READ);
    if (!keys.isEmpty()) {
      readKeys(keys, room);
    }
    int left = keys.isEmpty() ? room : queues.roomLeft();
    if (walking && left > 0) {
      queues.readStarted();
      walk(left);
    }
    return !keys.isEmpty() || walking;
  }

  private void lanesAre(Set<Lane> open) {
    open.stream()
        .filter(lane -> !known.contains(lane) && lanes.wasAbandoned(lane))
        .forEach(suspicious::add);
    suspicious.retainAll(open);
    known = open;
    terms = open.stream().collect(Collectors.toMap(Lane::number, lane -> lane));
    walking = false;
    nextWalkNanos = nanoTime.getAsLong();
    walkedTo = null;
    lookForBlocks(); // last: if the database is away, what is known must be right
  }

  private void lookForBlocks() {
    mayBeBlocked = true;
    int blocked =
        known.isEmpty()
            ? 0
            : inTransaction(conn -> store.blocks(conn, numbers(), MAX_COUNTED)).size();
    mayBeBlocked = blocked > 0 || blockAfterDead;
    metrics.recordBlockedKeys(blocked);
  }

  private Set<Integer> numbers() {
    return terms.keySet();
  }

  private <T> T inTransaction(StoreSession.Work<T> work) {
    return session.inTransaction(
        conn -> {
          clock.synchronize(session.store(), conn);
          return work.on(conn);
        });
  }

  private void startWalk() {
    Instant now = clock.now();
    if (walkedTo == null) {
      walkLag = 0;
      singles = true;
      singlesTo = null;
    } else {
      // The walk takes longer than the interval: what has become due meanwhile goes first.
      Instant since = dueSince;
      inTransaction(conn -> store.due(conn, numbers(), since, now, MAX_DUE))
          .forEach(this::readFirst);
    }
    dueSince = now.minus(LATE);
    walking = true;
    fruitless = 0;
  }

  private void walk(int room) {
    if (singles) {
      walkSingles(room);
      return;
    }
    int perKey = perKey(room);
    KeyPage page =
        read(conn -> store.walk(conn, numbers(), walkedTo, query(KEYS_PER_WALK, perKey, room)));
    recordLag(page.rows());
    Offered offered = offer(page, Map.of(), perKey);
    if (offered.full()) {
      walkedTo = offered.last();
    } else if (page.last().isPresent()) {
      walkedTo = page.last().get();
    } else {
      walkedTo = null;
      walking = false;
      suspicious.clear();
      counted.clear();
    }
    if (fruitless > MAX_FRUITLESS_KEYS) {
      walking = false;
    }
  }

  /** The way by time, as long as most of what is on it can be taken. */
  private void walkSingles(int room) {
    AtomicReference<SinglesPage> found = new AtomicReference<>();
    KeyPage page =
        read(
            conn -> {
              store
                  .singles(conn, numbers(), singlesTo, query(KEYS_PER_WALK, 1, room))
                  .ifPresent(found::set);
              List<OutboxEvent> rows = found.get() == null ? List.of() : found.get().rows();
              return new KeyPage(rows, rows.size(), Optional.empty());
            });
    recordLag(page.rows());
    Offered offered = offer(page, Map.of(), 2);
    SinglesPage singlesPage = found.get();
    boolean fruitful = singlesPage != null && 2 * singlesPage.rows().size() >= singlesPage.owned();
    if (offered.full()) {
      return; // the same once more, when there is room
    }
    singles = fruitful && singlesPage.last().isPresent();
    singlesTo = singles ? singlesPage.last().get() : null;
  }

  private void recordLag(List<OutboxEvent> rows) {
    Instant now = clock.now();
    long lag = 0;
    for (OutboxEvent row : rows) {
      lag = Math.max(lag, Duration.between(row.availableAt(), now).toMillis());
    }
    walkLag = Math.max(walkLag, lag);
    metrics.recordOldestLagMs(walkLag);
    metrics.recordQueueDepths(0, queues.waiting());
  }

  private void readKeys(Map<EventKey, Long> keys, int room) {
    int perKey = perKey(room);
    Map<EventKey, Long> owned = new LinkedHashMap<>(keys);
    owned.keySet().removeIf(key -> !terms.containsKey(key.lane()) || !lanes.isOpen(key.lane()));
    Set<EventKey> left =
        new HashSet<>(keys.keySet()); // of those that are not owned nothing is read
    boolean cut = true;
    try {
      KeyPage page = read(conn -> store.read(conn, owned, query(keys.size(), perKey, room)));
      offer(page, keys, perKey);
      page.rows().forEach(row -> left.remove(row.key()));
      cut = page.last().isPresent();
    } finally {
      for (EventKey key : left) {
        if (cut && owned.containsKey(key)) {
          queues.wasNotRead(key, keys.get(key)); // there was no room for it in the answer
        } else {
          queues.wasRead(key, false, perKey);
        }
      }
    }
  }

  private int perKey(int room) {
    int keys = queues.keyCount();
    // At least two: if there is only one, nobody need look for more.
    return keys == 0 ? FIRST_PER_KEY : Math.max(2, Math.min(MAX_PER_KEY, room / keys));
  }

  private KeyQuery query(int keys, int perKey, int room) {
    return new KeyQuery(clock.now(), keys, perKey, Math.min(maxRows, room), MAX_BYTES);
  }

  private KeyPage read(StoreSession.Work<KeyPage> work) {
    held.pollStarted();
    try {
      return inTransaction(work);
    } catch (Throwable failure) {
      held.pollFinished();
      throw failure;
    }
  }

  /**
   * What became of a page.
   *
   * @param full whether there was no room for some
   * @param last the last key before those; null if there is none
   */
  private record Offered(boolean full, EventKey last) {}

  /**
   * @param wanted what was asked for, and behind which number
   */
  private Offered offer(KeyPage page, Map<EventKey, Long> wanted, int perKey) {
    EventKey last = walkedTo;
    boolean full = false;
    try {
      Map<EventKey, List<OutboxEvent>> byKey = new LinkedHashMap<>();
      page.rows()
          .forEach(row -> byKey.computeIfAbsent(row.key(), key -> new ArrayList<>()).add(row));
      Map<EventKey, String> blockers = blockers(byKey.keySet());
      countClaims(byKey);
      int accepted = 0;
      for (Map.Entry<EventKey, List<OutboxEvent>> key : byKey.entrySet()) {
        EventKey name = key.getKey();
        if (!full) {
          boolean cut = name.equals(page.last().orElse(null));
          int taken = offerKey(name, key.getValue(), blockers.get(name));
          full = taken < 0;
          accepted += full ? 0 : taken;
          last = full ? last : name;
          queues.wasRead(name, full || cut || key.getValue().size() >= perKey, perKey);
        }
        if (full && wanted.containsKey(name)) {
          queues.wasNotRead(name, wanted.get(name));
        }
      }
      fruitless = accepted > 0 ? 0 : fruitless + page.keys();
    } finally {
      if (!held.pollFinished()) {
        nextWalkNanos = nanoTime.getAsLong();
      }
    }
    return new Offered(full, last);
  }

  /**
   * The first event of a key may be what its node died of. If that happens again and again it is
   * delivered alone; see {@link Deliverer}.
   */
  private void countClaims(Map<EventKey, List<OutboxEvent>> byKey) {
    if (suspicious.isEmpty()) {
      return;
    }
    List<String> first =
        byKey.entrySet().stream()
            .filter(key -> isSuspicious(key.getKey()))
            .map(key -> key.getValue().get(0).eventId())
            .filter(id -> counted.size() < MAX_CLAIMS && counted.add(id))
            .toList();
    if (!first.isEmpty()) {
      inTransaction(
          conn -> {
            store.recordClaims(conn, first);
            return null;
          });
    }
  }

  private boolean isSuspicious(EventKey key) {
    return suspicious.stream().anyMatch(lane -> lane.number() == key.lane());
  }

  private Map<EventKey, String> blockers(Collection<EventKey> keys) {
    if (!mayBeBlocked || keys.isEmpty()) {
      return Map.of();
    }
    Map<EventKey, String> blockers = new HashMap<>();
    for (KeyBlock block : inTransaction(conn -> store.blocks(conn, keys))) {
      blockers.put(block.key(), block.eventId());
    }
    return blockers;
  }

  /** Returns how many were accepted; -1 if there was no room. */
  private int offerKey(EventKey key, List<OutboxEvent> rows, String blocker) {
    int accepted = 0;
    for (OutboxEvent row : rows) {
      if (row == rows.get(0)
          && row.availableAt().isAfter(clock.now())
          && queues.parkIfIdle(key, row.availableAt())) {
        return accepted;
      }
      KeyedDelivery delivery = decode(row, key);
      if (delivery == null) {
        readAt(key, clock.now().plus(UNREADABLE_AGAIN));
        return accepted;
      }
      if (isSuspicious(key)) {
        delivery.settleFirst();
      }
      if (!held.holdPolled(delivery)) {
        continue; // it is in our hands, or has ended
      }
      switch (queues.offer(delivery, blocker)) {
        case ACCEPTED -> accepted++;
        case REFUSED -> {
          held.release(delivery);
          return accepted;
        }
        case FULL -> {
          held.release(delivery);
          return -1;
        }
      }
    }
    return accepted;
  }

  /** Null if it cannot be read here: not the event's fault. */
  private KeyedDelivery decode(OutboxEvent row, EventKey key) {
    Lane term = terms.get(key.lane()); // not what is owned now: the row may be older
    try {
      return new KeyedDelivery(row, key, term, EventEnvelope.fromRow(row), null);
    } catch (IllegalStateException | LinkageError e) {
      warning.log(() -> "event " + row.eventId() + " waits: its headers cannot be read here", e);
      return null;
    } catch (RuntimeException | StackOverflowError e) {
      return new KeyedDelivery(row, key, term, DeliveryEngine.stub(row), e);
    } catch (Error e) {
      warning.log(() -> "event " + row.eventId() + " waits: reading it failed", e);
      return null;
    }
  }
}
