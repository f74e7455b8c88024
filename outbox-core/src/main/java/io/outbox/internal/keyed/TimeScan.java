package io.outbox.internal.keyed;

import io.outbox.internal.member.HaltedRoutes;
import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.SinglesPage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The ways through due events by time: to events that are the only ones of their keys, as long as
 * most are, and to keys that have no events here, for where most keys only wait. For the thread of
 * {@link KeyFeeder}.
 */
final class TimeScan {

  private static final int EVENTS_PER_PAGE = 1_000;

  /** What is paused may lie before all others on the way by time. */
  private static final int MAX_EMPTY_SINGLES = 10;

  /** Of events whose keys all have events here, or cannot start; in an interval. */
  private static final int MAX_PAGES_WITHOUT_NEWS = 20;

  /** Keys that wait for a time, though they have due events; in an interval. */
  private static final int MAX_AGAIN = 1_000;

  private final LaneReader reader;
  private final KeyHandover handover;
  private final HaltedRoutes halted;
  private boolean singles;
  private PollCursor singlesTo; // null: from the beginning
  private int emptySingles; // pages in a row with nothing on them, but more behind
  private boolean keys;
  private PollCursor keysTo; // null: from the beginning
  private int pagesWithoutNews; // in this interval
  private int again; // in this interval
  private final FruitlessKeys unpaid = new FruitlessKeys(); // wanted, and nothing was taken for it

  TimeScan(LaneReader reader, KeyHandover handover, HaltedRoutes halted) {
    this.reader = reader;
    this.handover = handover;
    this.halted = halted;
  }

  /** Both ways begin anew. */
  void restart() {
    singles = true;
    singlesTo = null;
    emptySingles = 0;
    restartKeys();
  }

  /** The way to keys begins anew. */
  void restartKeys() {
    keys = true;
    keysTo = null;
  }

  // ---- to single events

  /** Whether most of what comes next can be taken, for all that is known. */
  boolean hasSingles() {
    // Those of a listener that is down may be before all others; of a busy one few are.
    singles &= !halted.isAnyOut();
    return singles;
  }

  KeyHandover.Offered readSingles(
      int room, Function<Supplier<KeyPage>, KeyHandover.Offered> offer) {
    AtomicReference<SinglesPage> found = new AtomicReference<>();
    KeyHandover.Offered offered =
        offer.apply(
            () -> {
              reader
                  .singles(handover.lanes(), singlesTo, EVENTS_PER_PAGE, room)
                  .ifPresent(found::set);
              List<OutboxEvent> rows = found.get() == null ? List.of() : found.get().rows();
              return new KeyPage(rows, rows.size(), Optional.empty());
            });
    SinglesPage page = found.get();
    boolean fruitful = page != null && 2 * page.rows().size() >= page.owned();
    if (!offered.full()) { // else the same once more, when there is room
      emptySingles = offered.page().rows().isEmpty() ? emptySingles + 1 : 0;
      int maxEmpty = halted.down().isEmpty() ? MAX_EMPTY_SINGLES : 1; // busy: it is looked at often
      singles = fruitful && page.last().isPresent() && emptySingles < maxEmpty;
      singlesTo = singles ? page.last().get() : null;
    }
    return offered;
  }

  // ---- to keys

  void beginInterval() {
    pagesWithoutNews = 0;
    again = 0;
    unpaid.reset();
  }

  /** So many events were taken, by whatever way. */
  void accepted(int events) {
    unpaid.passed(0, events);
  }

  /** The keys of events that became due since a place; from the first event on, if it had ended. */
  List<EventKey> newlyDue(PollCursor since) {
    keys = true; // what was committed late, or waited for another, is not behind it
    DuePage page = reader.due(handover.lanes(), since, EVENTS_PER_PAGE);
    return page.events().stream().map(DueEvent::key).distinct().toList();
  }

  /**
   * Whether this way leads to all due events. While some are halted it may lead past very many of
   * them.
   */
  boolean findsKeys() {
    return halted.all().isEmpty();
  }

  /** Whether there are events of which the keys may be unknown. */
  boolean hasKeys() {
    return keys
        && pagesWithoutNews < MAX_PAGES_WITHOUT_NEWS
        && !unpaid.areTooMany()
        && findsKeys()
        && handover.wantsFew();
  }

  /** Wants keys read that have due events. */
  void readKeys() {
    DuePage page = reader.due(handover.lanes(), keysTo, EVENTS_PER_PAGE);
    KeyHandover.Wanted wanted = handover.want(page.events(), MAX_AGAIN - again);
    again += wanted.again();
    unpaid.passed(wanted.news(), 0);
    pagesWithoutNews = wanted.news() > 0 ? 0 : pagesWithoutNews + 1;
    keys = page.last().isPresent();
    keysTo = page.last().orElse(null);
  }
}
