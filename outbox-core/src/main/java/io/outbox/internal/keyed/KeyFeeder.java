package io.outbox.internal.keyed;

import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.BacklogReport;
import io.outbox.internal.store.LagReport;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.SinglesPage;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Reads events of owned lanes from the table into {@link KeyQueues}: at once those of keys that
 * somebody wants, and now and then from key to key all that there are. One thread.
 */
public final class KeyFeeder {

  private static final int KEYS_PER_READ = 200;
  private static final int KEYS_PER_SCAN = 1000;

  /** How often keys that only the scan knows come before those that already have events here. */
  private static final int STEPS_PER_SCAN = 4;

  /** Of keys that may all wait for a listener that is down. */
  private static final int FEW_KEYS_PER_SCAN = 40;

  /** How fast a scan passes those, and how many of them it passes for one that can be delivered. */
  private static final long NANOS_PER_PASSED_KEY = TimeUnit.SECONDS.toNanos(1) / 150;

  private static final int PASSED_PER_EVENT = 100;
  private static final int MAX_PER_KEY = 500;
  private static final int FIRST_PER_KEY = 10;
  private static final long MAX_BYTES = 16L * 1024 * 1024;

  /** A scan over keys of which nothing can start goes on only at the next interval. */
  private static final int MAX_FRUITLESS_KEYS = 2_000;

  /** To pass a key whose first event is paused costs much less than to read it. */
  private static final int PAUSED_KEYS_PER_KEY = 10;

  /** What is paused may lie before all others on the way by time. */
  private static final int MAX_EMPTY_SINGLES = 10;

  private static final int MAX_DUE = 1_000;
  private static final int MAX_COUNTED = 1_000;
  private static final Duration LATE = Duration.ofSeconds(10);

  /** To look at halted events again and again is not worth much. */
  private static final Duration A_LITTLE_LATE = Duration.ofSeconds(1);

  private static final long NOT_READY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long ROOM_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final StoreSession session;
  private final LaneStore store;
  private final EngineClock clock;
  private final OwnedLanes lanes;
  private final HeldEvents held;
  private final BooleanSupplier isReady;
  private final MetricsExporter metrics;
  private final BacklogReport backlog;
  private final LagReport lag;
  private final boolean blockAfterDead;
  private final LongSupplier nanoTime;
  private final long intervalNanos;
  private final int maxRows;
  private final EngineThread thread;
  private final WantedKeys wanted;
  private final KeyQueues queues;
  private final KeyHandover handover;
  private final HaltedRoutes halted;
  private volatile boolean haltEnded;

  // For the thread alone.
  private Set<Lane> known = Set.of();
  private boolean unready; // nothing can be read, whatever is wanted
  private boolean scanning;
  private EventKey scannedTo; // null: from the beginning
  private boolean singles; // by time, before from key to key
  private PollCursor singlesTo; // null: from the beginning
  private int emptySingles; // pages in a row with nothing on them, but more behind
  private int fruitless;
  private long scanLag; // the largest since the beginning of the scan
  private long nextScanNanos;
  private long restUntilNanos; // the scan goes on then
  private int keysPerScan = FEW_KEYS_PER_SCAN; // while a listener is down
  private int steps;
  private Instant dueSince; // what became due before was seen, or will be by the scan

  /**
   * @param wanted what {@code queues} want read
   * @param isReady false while outcomes wait for the database, for they go first
   * @param maxRows how many rows one statement may return
   */
  public KeyFeeder(
      StoreSession session,
      LaneStore store,
      EngineClock clock,
      OwnedLanes lanes,
      HeldEvents held,
      WantedKeys wanted,
      KeyQueues queues,
      HaltedRoutes halted,
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
    this.wanted = wanted;
    this.queues = queues;
    this.handover = new KeyHandover(session, store, clock, held, queues, wanted, halted);
    this.halted = halted;
    this.isReady = isReady;
    this.metrics = metrics;
    this.backlog = new BacklogReport(session, metrics);
    this.lag = new LagReport(session, clock, metrics);
    this.blockAfterDead = blockAfterDead;
    this.nanoTime = nanoTime;
    this.nextScanNanos = nanoTime.getAsLong();
    this.restUntilNanos = nextScanNanos;
    this.intervalNanos = intervalNanos;
    this.maxRows = maxRows;
    this.thread = new EngineThread("outbox-feeder-", "events cannot be read", this::run);
  }

  public void start() {
    thread.start();
  }

  /** Waits for {@code nanos} at most. */
  public void close(long nanos) throws InterruptedException {
    thread.close();
    wanted.close();
    thread.join(nanos);
  }

  /** Looks through all keys from the first on: those that were passed may be wanted now. */
  public void haltEnded() {
    haltEnded = true;
    wanted.wantAll();
  }

  // ---- the thread

  private long run() throws InterruptedException {
    lag.reportIfDue();
    int room = queues.awaitRoom(ROOM_NANOS);
    if (room > 0 && !step(room)) {
      await();
    }
    return 0;
  }

  private void await() throws InterruptedException {
    if (unready) {
      wanted.pause(NOT_READY_NANOS);
    } else {
      long now = nanoTime.getAsLong();
      long rest = scanning ? restUntilNanos - now : Long.MAX_VALUE;
      wanted.await(Math.min(nextScanNanos - now, rest));
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
      nextScanNanos = nanoTime.getAsLong() + NOT_READY_NANOS;
      return false;
    }
    if (haltEnded) {
      haltEnded = false;
      scannedTo = null;
      restUntilNanos = nanoTime.getAsLong();
    }
    if (wanted.takeAll()) {
      nextScanNanos = nanoTime.getAsLong();
    }
    if (nextScanNanos - nanoTime.getAsLong() <= 0) {
      backlog.reportIfDue();
      lookForBlocks();
      startScan();
      nextScanNanos = nanoTime.getAsLong() + intervalNanos; // last: a scan that fails is still due
    }
    // With many deep keys here there is never room for more than what they want read.
    boolean scanFirst = mayScan() && ++steps % STEPS_PER_SCAN == 0;
    if (scanFirst) {
      scanOn(room);
    }
    boolean read = readWanted(scanFirst ? queues.roomLeft() : room);
    if (!scanFirst && mayScan()) {
      scanOn(read ? queues.roomLeft() : room);
    }
    return read || mayScan();
  }

  private void scanOn(int room) {
    if (room > 0) {
      queues.readStarted();
      scan(room);
    }
  }

  /** Returns whether there was anything to read. */
  private boolean readWanted(int room) {
    if (room <= 0) {
      return true; // for all we know
    }
    queues.readStarted(); // before it is decided what to read
    Map<EventKey, Long> keys = wanted.take(KEYS_PER_READ);
    if (!keys.isEmpty()) {
      readKeys(keys, room);
    }
    return !keys.isEmpty();
  }

  private boolean mayScan() {
    return scanning && restUntilNanos - nanoTime.getAsLong() <= 0;
  }

  private void lanesAre(Set<Lane> open) {
    handover.lanesAre(open, lanes::wasAbandoned);
    known = open;
    scanning = false;
    nextScanNanos = nanoTime.getAsLong();
    restUntilNanos = nextScanNanos;
    scannedTo = null;
    lookForBlocks(); // last: if the database is away, what is known must be right
  }

  private void lookForBlocks() {
    handover.mayBeBlocked(true);
    int blocked =
        known.isEmpty()
            ? 0
            : session.read(conn -> store.blocks(conn, numbers(), MAX_COUNTED)).size();
    handover.mayBeBlocked(blocked > 0 || blockAfterDead);
    metrics.recordBlockedKeys(blocked);
  }

  private Set<Integer> numbers() {
    return handover.lanes();
  }

  private <T> T inTransaction(StoreSession.Work<T> work) {
    return session.lockingNothing(
        conn -> {
          clock.synchronize(session.store(), conn);
          return work.on(conn);
        });
  }

  private void startScan() {
    Instant now = clock.now();
    boolean resting = restUntilNanos - nanoTime.getAsLong() > 0;
    if (scannedTo == null && !resting) {
      scanLag = 0;
      singles = true;
      singlesTo = null;
      emptySingles = 0;
    } else {
      // The scan takes longer than the interval: what has become due meanwhile goes first.
      List<EventRoute> without = halted.all();
      Instant since = dueSince.minus(without.isEmpty() ? LATE : A_LITTLE_LATE);
      inTransaction(conn -> store.due(conn, numbers(), since, now, without, MAX_DUE))
          .forEach(event -> wanted.readFirst(event.key()));
    }
    dueSince = now;
    scanning = true;
    fruitless = 0;
  }

  private void scan(int room) {
    boolean isDown = !halted.down().isEmpty();
    singles &= !isDown; // by time, those of a listener that is down may be before all others
    if (singles) {
      scanSingles(room);
      return;
    }
    int keys = isDown ? keysPerScan : KEYS_PER_SCAN;
    keysPerScan = isDown ? keysPerScan : FEW_KEYS_PER_SCAN;
    int perKey = perKey(room);
    KeyPage page = read(conn -> store.scan(conn, numbers(), scannedTo, query(keys, perKey, room)));
    recordLag(page.rows());
    KeyHandover.Offered offered = offer(page, Map.of(), perKey);
    if (offered.full()) {
      scannedTo = offered.last();
    } else if (page.last().isPresent()) {
      scannedTo = page.last().get();
    } else {
      scannedTo = null;
      scanning = false;
      handover.lookedThrough();
    }
    if (fruitless > MAX_FRUITLESS_KEYS) {
      scanning = false;
    }
    if (isDown) {
      restAfter(page.keys() - (long) PASSED_PER_EVENT * offered.accepted());
    }
  }

  /** The whole backlog may wait for a listener that is down: to pass it is not worth much. */
  private void restAfter(long passed) {
    if (passed > 0) {
      restUntilNanos = nanoTime.getAsLong() + passed * NANOS_PER_PASSED_KEY;
      keysPerScan = FEW_KEYS_PER_SCAN;
    } else {
      keysPerScan = Math.min(KEYS_PER_SCAN, 2 * keysPerScan);
    }
  }

  /** The way by time, as long as most of what is on it can be taken. */
  private void scanSingles(int room) {
    AtomicReference<SinglesPage> found = new AtomicReference<>();
    KeyPage page =
        read(
            conn -> {
              store
                  .singles(conn, numbers(), singlesTo, query(KEYS_PER_SCAN, 1, room))
                  .ifPresent(found::set);
              List<OutboxEvent> rows = found.get() == null ? List.of() : found.get().rows();
              return new KeyPage(rows, rows.size(), Optional.empty());
            });
    recordLag(page.rows());
    KeyHandover.Offered offered = offer(page, Map.of(), 2);
    SinglesPage singlesPage = found.get();
    boolean fruitful = singlesPage != null && 2 * singlesPage.rows().size() >= singlesPage.owned();
    if (offered.full()) {
      return; // the same once more, when there is room
    }
    emptySingles = page.rows().isEmpty() ? emptySingles + 1 : 0;
    singles = fruitful && singlesPage.last().isPresent() && emptySingles < MAX_EMPTY_SINGLES;
    singlesTo = singles ? singlesPage.last().get() : null;
  }

  private void recordLag(List<OutboxEvent> rows) {
    if (!lag.isTold()) {
      Instant now = clock.now();
      for (OutboxEvent row : rows) {
        scanLag = Math.max(scanLag, Duration.between(row.availableAt(), now).toMillis());
      }
      metrics.recordOldestLagMs(scanLag);
    }
    metrics.recordQueueDepths(0, queues.waiting());
  }

  private void readKeys(Map<EventKey, Long> keys, int room) {
    int perKey = perKey(room);
    Map<EventKey, Long> owned = new LinkedHashMap<>(keys);
    owned.keySet().removeIf(key -> !numbers().contains(key.lane()) || !lanes.isOpen(key.lane()));
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
    return new KeyQuery(
        clock.now(), keys, perKey, Math.min(maxRows, room), MAX_BYTES, halted.all());
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

  /** Of keys that came back without a row the first event is paused. */
  private static int costOf(KeyPage page) {
    int read = (int) page.rows().stream().map(OutboxEvent::key).distinct().count();
    return read + (page.keys() - read) / PAUSED_KEYS_PER_KEY;
  }

  private KeyHandover.Offered offer(KeyPage page, Map<EventKey, Long> asked, int perKey) {
    boolean trusted = false;
    try {
      KeyHandover.Offered offered = handover.offer(page, scannedTo, asked, perKey);
      fruitless = offered.accepted() > 0 ? 0 : fruitless + costOf(page);
      trusted = offered.trusted();
      return offered;
    } finally {
      if (!trusted) {
        nextScanNanos = nanoTime.getAsLong();
      }
    }
  }
}
