package io.outbox.internal.signals;

import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.LaneStore;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Looks ten times a second for events that have just become due, where nodes cannot tell each other
 * what they commit.
 *
 * <p>An event is due from its insert on, but seen only after its commit. So each look goes back one
 * second, and one look a second goes back ten. The interval's scan finds events of longer
 * transactions. Events already seen are not announced again.
 */
public final class DueWatch {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** After a look that found more than it can read: to look through all keys is the scan's work. */
  private static final long BACKLOG_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Duration OVERLAP = Duration.ofSeconds(1);
  private static final Duration LONG_OVERLAP = Duration.ofSeconds(10);
  private static final int LONG_EVERY = 10;

  /** Our time may be a little behind the database's. */
  private static final Duration AHEAD = Duration.ofMillis(100);

  private static final int LIMIT = 1_000;
  private static final int MAX_SEEN = 10_000;

  private static final Set<Integer> ALL_LANES =
      IntStream.range(0, EventKey.LANES).boxed().collect(Collectors.toUnmodifiableSet());

  private final StoreSession session;
  private final LaneStore store;
  private final EngineClock clock;
  private final Supplier<List<EventRoute>> without;
  private final Predicate<DueEvent> isNews;
  private final BooleanSupplier isNeeded;
  private final Consumer<Optional<Set<EventKey>>> found;
  private final Set<DueEvent> seen = new LinkedHashSet<>(); // the oldest first
  private final EngineThread thread =
      new EngineThread("outbox-due-", "new events of other nodes cannot be looked for", this::run);
  private int looks;

  /**
   * @param without events not to look at
   * @param isNews whether an event is this node's to deliver, and not yet with it
   * @param found told which keys there is something for; empty if for too many to tell
   */
  DueWatch(
      StoreSession session,
      LaneStore store,
      EngineClock clock,
      Supplier<List<EventRoute>> without,
      Predicate<DueEvent> isNews,
      BooleanSupplier isNeeded,
      Consumer<Optional<Set<EventKey>>> found) {
    this.session = session;
    this.store = store;
    this.clock = clock;
    this.without = without;
    this.isNews = isNews;
    this.isNeeded = isNeeded;
    this.found = found;
  }

  void start() {
    thread.start();
  }

  void close() {
    thread.close();
  }

  private long run() {
    boolean isBehind = isNeeded.getAsBoolean() && look();
    return isBehind ? BACKLOG_NANOS : PAUSE_NANOS;
  }

  /** Looks once; returns whether there are more events than it reads. */
  boolean look() {
    Duration back = looks++ % LONG_EVERY == 0 ? LONG_OVERLAP : OVERLAP;
    DuePage due =
        session.lockingNothing(
            conn -> {
              clock.synchronize(session.store(), conn);
              Instant now = clock.now();
              PollCursor after = PollCursor.behind(now.minus(back));
              return store.due(conn, ALL_LANES, after, now.plus(AHEAD), without.get(), LIMIT);
            });
    Set<EventKey> keys =
        due.events().stream()
            .filter(isNews)
            .filter(this::isUnseen)
            .map(DueEvent::key)
            .collect(Collectors.toSet());
    boolean more = due.last().isPresent();
    if (more && !keys.isEmpty()) {
      found.accept(Optional.empty()); // those behind them may be too old for the next look
    } else if (!keys.isEmpty()) {
      found.accept(Optional.of(keys));
    }
    return more;
  }

  private boolean isUnseen(DueEvent event) {
    boolean unseen = seen.add(event);
    if (seen.size() > MAX_SEEN) {
      seen.remove(seen.iterator().next());
    }
    return unseen;
  }
}
