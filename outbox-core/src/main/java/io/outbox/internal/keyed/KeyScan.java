package io.outbox.internal.keyed;

import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.store.BacklogReport;
import io.outbox.internal.store.LagReport;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.lanes.KeyPage;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The way through all keys of the open lanes, in pages: first by time, as long as that pays, then
 * from key to key, and by time again where most keys only wait. For the thread of {@link
 * KeyFeeder}.
 */
public final class KeyScan {

  private static final int KEYS_PER_PAGE = 1000;

  /** If there are two, one is not single. */
  private static final int SINGLES_PER_KEY = 2;

  /** Of keys that may all wait for a listener that is down. */
  private static final int FEW_KEYS_PER_PAGE = 40;

  /** How fast it passes those, and how many of them it passes for one that can be delivered. */
  private static final long NANOS_PER_PASSED_KEY = TimeUnit.SECONDS.toNanos(1) / 150;

  private static final int PASSED_PER_EVENT = 100;

  /** To pass a key whose first event is paused costs much less than to read it. */
  private static final int PAUSED_KEYS_PER_KEY = 10;

  private final LaneReader reader;
  private final TimeScan byTime;
  private final KeyHandover handover;
  private final HaltedRoutes halted;
  private final BacklogReport backlog;
  private final LagReport lag;
  private final LongSupplier nanoTime;
  private final long intervalNanos;
  private boolean scanning;
  private EventKey scannedTo; // null: from the beginning
  private EventKey left; // where it goes on when busy listeners are full again; null: nowhere
  private final Set<EventRoute> wantedFirst = new HashSet<>(); // before it goes on there
  private final FruitlessKeys fruitless = new FruitlessKeys();
  private boolean takesLong; // more than an interval so far
  private long intervalEndsNanos; // however often it is started
  private boolean walksNext; // from key to key, if lanes of a dead node are to be seen
  private long longestLag; // since the beginning of the scan
  private long restUntilNanos; // it goes on then
  private int keysPerPage = FEW_KEYS_PER_PAGE; // while a listener is down
  private long nextNanos; // it is started then
  private Instant dueSince; // what became due before was seen, or will be by the scan

  public KeyScan(
      LaneReader reader,
      KeyHandover handover,
      HaltedRoutes halted,
      BacklogReport backlog,
      LagReport lag,
      LongSupplier nanoTime,
      long intervalNanos) {
    this.reader = reader;
    this.byTime = new TimeScan(reader, handover, halted);
    this.handover = handover;
    this.halted = halted;
    this.backlog = backlog;
    this.lag = lag;
    this.nanoTime = nanoTime;
    this.intervalNanos = intervalNanos;
    this.nextNanos = nanoTime.getAsLong();
    this.restUntilNanos = nextNanos;
    this.intervalEndsNanos = nextNanos;
  }

  void reportLag() {
    lag.reportIfDue();
  }

  /** Other lanes are open: it begins anew. */
  void lanesChanged() {
    scanning = false;
    restart();
    isDueIn(0);
  }

  void isDueIn(long nanos) {
    nextNanos = nanoTime.getAsLong() + nanos;
  }

  /** It begins at the first key, however much it has passed in this interval. */
  void restart() {
    backToTheFirst();
    takesLong = false;
    intervalEndsNanos = nanoTime.getAsLong();
  }

  private void backToTheFirst() {
    scannedTo = null;
    left = null;
    wantedFirst.clear();
    restUntilNanos = nanoTime.getAsLong();
  }

  /**
   * It begins at the first key, until the listeners that have room now are busy again; then it goes
   * on here. If they never are, it has found all of their events.
   */
  void lookAtFirst() {
    Set<EventRoute> routes = halted.takeRoom();
    if (routes.isEmpty()) {
      return;
    }
    EventKey here = left == null ? scannedTo : left;
    Set<EventRoute> before = left == null ? Set.of() : Set.copyOf(wantedFirst);
    backToTheFirst();
    left = here;
    wantedFirst.addAll(before);
    wantedFirst.addAll(routes);
    if (!byTime.findsKeys()) {
      fruitless.reset(); // there is no other way to them
    }
  }

  /**
   * Starts it or goes on with it, if it is time.
   *
   * @return keys to read before: if it takes longer than the interval, those of events that have
   *     become due meanwhile
   */
  List<EventKey> startIfDue() {
    if (nextNanos - nanoTime.getAsLong() > 0) {
      return List.of();
    }
    backlog.reportIfDue();
    handover.lookForBlocks();
    List<EventKey> first = start();
    isDueIn(intervalNanos); // last: a scan that fails is still due
    return first;
  }

  private List<EventKey> start() {
    Instant now = reader.now();
    boolean anew = scannedTo == null && !isResting();
    boolean seesAll = anew && left == null && !takesLong;
    if (anew) {
      longestLag = 0;
      byTime.restart();
    }
    if (seesAll || intervalEndsNanos - nanoTime.getAsLong() <= 0) {
      intervalEndsNanos = nanoTime.getAsLong() + intervalNanos;
      fruitless.beginInterval();
      byTime.beginInterval();
    }
    List<EventKey> first = seesAll ? List.of() : byTime.newlyDue(reader.shortlyBefore(dueSince));
    dueSince = now;
    takesLong = !anew || left != null;
    scanning = mayPassMore();
    return first;
  }

  /** What a dead node has left has to be seen soon. */
  private boolean mayPassMore() {
    return !fruitless.areTooMany() || handover.isSuspicious();
  }

  private boolean isResting() {
    return restUntilNanos - nanoTime.getAsLong() > 0;
  }

  /** Whether there are pages to read now. */
  boolean mayGoOn() {
    return (scanning && !isResting()) || goesByTime();
  }

  /** Whether a page may bring little, so that other reads come first. */
  boolean isSlow() {
    return fruitless.areMany();
  }

  private boolean goesByTime() {
    return isSlow() && byTime.hasKeys();
  }

  /** How long there is nothing to read for it. */
  long nanosUntilNext() {
    long now = nanoTime.getAsLong();
    return Math.min(nextNanos - now, scanning ? restUntilNanos - now : Long.MAX_VALUE);
  }

  /** Reads a page, for at most {@code room} events. */
  void readPage(int room, int perKey) {
    boolean isDown = !halted.down().isEmpty();
    if (left != null && halted.areBusy(wantedFirst)) {
      scannedTo = left;
      left = null;
      wantedFirst.clear();
    }
    if (byTime.hasSingles()) {
      KeyHandover.Offered offered =
          byTime.readSingles(room, read -> offer(read, Map.of(), SINGLES_PER_KEY));
      longestLag = lag.read(offered.page().rows(), longestLag);
      return;
    }
    boolean walks = scanning && !isResting();
    walksNext = goesByTime() && !(walks && walksNext && handover.isSuspicious());
    if (walksNext) {
      byTime.readKeys();
    } else if (walks) {
      readKeys(room, perKey, isDown);
    }
  }

  private void readKeys(int room, int perKey, boolean isDown) {
    int keys = isDown ? keysPerPage : KEYS_PER_PAGE;
    keysPerPage = isDown ? keysPerPage : FEW_KEYS_PER_PAGE;
    KeyHandover.Offered offered =
        offer(() -> reader.scan(handover.lanes(), scannedTo, keys, perKey, room), Map.of(), perKey);
    KeyPage page = offered.page();
    longestLag = lag.read(page.rows(), longestLag);
    if (offered.full()) {
      scannedTo = offered.last(); // the others are read again, when there is room
    } else {
      passed(page, offered.accepted());
    }
    if (isDown) {
      restAfter(page.keys() - (long) PASSED_PER_EVENT * offered.accepted());
    }
  }

  private void passed(KeyPage page, int accepted) {
    if (page.last().isEmpty()) {
      backToTheFirst();
      scanning = false;
      fruitless.reset();
      handover.lookedThrough();
      return;
    }
    scannedTo = page.last().get();
    fruitless.passed(costOf(page), accepted);
    if (!mayPassMore()) {
      scanning = false;
      takesLong = true;
    }
  }

  /** The whole backlog may wait for a listener that is down: to pass it is not worth much. */
  private void restAfter(long passed) {
    if (passed > 0) {
      restUntilNanos = nanoTime.getAsLong() + passed * NANOS_PER_PASSED_KEY;
      keysPerPage = FEW_KEYS_PER_PAGE;
    } else {
      keysPerPage = Math.min(KEYS_PER_PAGE, 2 * keysPerPage);
    }
  }

  /** Reads and offers; if that fails or cannot be trusted, all keys are looked through again. */
  KeyHandover.Offered offer(Supplier<KeyPage> read, Map<EventKey, Long> asked, int perKey) {
    boolean trusted = false;
    try {
      KeyHandover.Offered offered = handover.offer(read, scannedTo, asked, perKey);
      byTime.accepted(offered.accepted());
      if (offered.accepted() > 0 && !byTime.findsKeys()) {
        fruitless.reset(); // there is no other way to the rest
      }
      trusted = offered.trusted();
      return offered;
    } finally {
      if (!trusted) {
        byTime.restartKeys();
        isDueIn(0);
      }
    }
  }

  /** Of keys that came back without a row the first event is paused. */
  private static int costOf(KeyPage page) {
    int read = (int) page.rows().stream().map(OutboxEvent::key).distinct().count();
    return read + (page.keys() - read) / PAUSED_KEYS_PER_KEY;
  }
}
