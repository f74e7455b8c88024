package io.outbox.internal.keyed;

import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.Lane;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Reads events of owned lanes from the table into {@link KeyIntake}: at once those of keys that
 * somebody wants, and now and then, by a {@link KeyScan}, all that there are. One thread.
 */
public final class KeyFeeder {

  private static final int KEYS_PER_READ = 200;

  /** How often keys that only the scan knows come before those that already have events here. */
  private static final int STEPS_PER_SCAN = 4;

  private static final int MAX_PER_KEY = 500;
  private static final int FIRST_PER_KEY = 10;
  private static final long NOT_READY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long ROOM_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final OwnedLanes lanes;
  private final WantedKeys wanted;
  private final KeyIntake intake;
  private final LaneReader reader;
  private final KeyHandover handover;
  private final KeyScan scan;
  private final BooleanSupplier isReady;
  private final EngineThread thread;
  private volatile boolean haltEnded;
  private volatile boolean roomAgain;

  // For the thread alone.
  private Set<Lane> known = Set.of();
  private boolean unready; // nothing can be read, whatever is wanted
  private int steps;

  /**
   * @param wanted the keys to read
   * @param isReady false while outcomes wait for the database, for they go first
   */
  public KeyFeeder(
      OwnedLanes lanes,
      WantedKeys wanted,
      KeyIntake intake,
      LaneReader reader,
      KeyHandover handover,
      KeyScan scan,
      BooleanSupplier isReady) {
    this.lanes = lanes;
    this.wanted = wanted;
    this.intake = intake;
    this.reader = reader;
    this.handover = handover;
    this.scan = scan;
    this.isReady = isReady;
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

  /** Looks at the first keys: a listener that was busy takes more events. */
  public void roomAgain() {
    roomAgain = true;
    wanted.wantAll();
  }

  // ---- the thread

  private long run() throws InterruptedException {
    scan.reportLag();
    wanted.gather();
    int room = intake.awaitRoom(ROOM_NANOS);
    if (room > 0 && !step(room)) {
      await();
    }
    return 0;
  }

  private void await() throws InterruptedException {
    if (unready) {
      wanted.pause(NOT_READY_NANOS);
    } else {
      wanted.await(scan.nanosUntilNext());
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
      scan.isDueIn(NOT_READY_NANOS);
      return false;
    }
    if (haltEnded) {
      haltEnded = false;
      scan.restart();
    }
    if (roomAgain) {
      roomAgain = false;
      scan.lookAtFirst();
    }
    if (wanted.takeAll()) {
      scan.isDueIn(0);
    }
    // Parked ones, too: an event without a delay may have been committed behind a delayed one.
    scan.startIfDue().forEach(wanted::readAnyway);
    // With many deep keys here there is never room for more than what they want read.
    boolean scanFirst = scan.mayGoOn() && ++steps % STEPS_PER_SCAN == 0;
    if (scanFirst) {
      scanOn(room);
    }
    boolean read = readWanted(scanFirst ? intake.roomLeft() : room);
    if (!scanFirst && scan.mayGoOn() && !(read && scan.isSlow())) {
      scanOn(read ? intake.roomLeft() : room);
    }
    return read || scan.mayGoOn();
  }

  private void lanesAre(Set<Lane> open) {
    handover.lanesAre(open, lanes::wasAbandoned);
    known = open;
    scan.lanesChanged();
    handover.lookForBlocks(); // last: if the database is away, known must be right
  }

  private void scanOn(int room) {
    if (room > 0) {
      intake.readStarted();
      scan.readPage(room, perKey(room));
    }
  }

  /** Returns whether there was anything to read. */
  private boolean readWanted(int room) {
    if (room <= 0) {
      return true; // for all we know
    }
    Map<EventKey, Long> keys = intake.readStarted(() -> wanted.take(KEYS_PER_READ));
    if (!keys.isEmpty()) {
      readKeys(keys, room);
    }
    return !keys.isEmpty();
  }

  private void readKeys(Map<EventKey, Long> keys, int room) {
    int perKey = perKey(room);
    Map<EventKey, Long> owned = new LinkedHashMap<>(keys);
    owned
        .keySet()
        .removeIf(key -> !handover.lanes().contains(key.lane()) || !lanes.isOpen(key.lane()));
    Set<EventKey> left =
        new HashSet<>(keys.keySet()); // of those that are not owned nothing is read
    boolean cut = true;
    try {
      KeyHandover.Offered offered =
          scan.offer(() -> reader.read(owned, perKey, room), keys, perKey);
      offered.page().rows().forEach(row -> left.remove(row.key()));
      left.removeAll(offered.page().overtaken());
      cut = offered.page().last().isPresent();
    } finally {
      for (EventKey key : left) {
        // There was no room for it in the answer, or its lane is closed and may be open at once.
        if (owned.containsKey(key) ? cut : handover.lanes().contains(key.lane())) {
          intake.wasNotRead(key, keys.get(key));
        } else {
          intake.wasRead(key, false, perKey);
        }
      }
    }
  }

  private int perKey(int room) {
    int keys = intake.keyCount();
    // At least two: if there is only one, nobody need look for more.
    return keys == 0 ? FIRST_PER_KEY : Math.max(2, Math.min(MAX_PER_KEY, room / keys));
  }
}
