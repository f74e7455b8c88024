package io.outbox.jdbc.internal.search;

import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** One page of events, the newest first, from orders that are merged by time. */
final class EventSearch {

  /** What takes longer is told to go on from where it is. */
  private static final Duration LONG = Duration.ofMillis(150);

  private final List<SearchOrder> orders;
  private final List<OrderReader> readers = new ArrayList<>();
  private final List<EventSummary> found = new ArrayList<>();
  private final int limit;
  private final int scanLimit;
  private final long deadline = System.nanoTime() + LONG.toNanos();
  private int scanned;

  /**
   * Prepares a search.
   *
   * @param reader makes the reader of an order that goes on at a position
   */
  EventSearch(List<SearchOrder> orders, Searches.Page page, ReaderOf reader) {
    this.orders = orders;
    this.limit = page.limit();
    this.scanLimit = page.scanLimit();
    SearchCursor cursor = page.after() == null ? null : SearchCursor.decode(page.after());
    if (cursor != null) {
      cursor.require(orders, page.after());
    }
    for (int i = 0; i < orders.size(); i++) {
      readers.add(reader.of(orders.get(i), cursor == null ? null : cursor.start(i)));
    }
  }

  @FunctionalInterface
  interface ReaderOf {
    OrderReader of(SearchOrder order, SearchPosition start);
  }

  EventPage read(Connection conn) {
    // Each order is looked at, so that a page gets on however little may be scanned.
    readers.forEach(reader -> advance(conn, reader));
    int next = newest();
    while (next >= 0) {
      OrderReader reader = readers.get(next);
      if (reader.hits().isEmpty()) {
        if (isEnough()) {
          return page(cursor(next, reader.frontier()), true);
        }
        advance(conn, reader);
      } else {
        OrderReader.Hit hit = reader.hits().remove();
        found.add(hit.event());
        if (found.size() == limit) {
          return page(newest() < 0 ? null : cursor(next, hit.place()), false);
        }
      }
      next = newest();
    }
    return page(null, false);
  }

  private boolean isEnough() {
    return scanned >= scanLimit || System.nanoTime() - deadline > 0;
  }

  private void advance(Connection conn, OrderReader reader) {
    scanned += reader.advance(conn, Math.max(1, scanLimit - scanned), limit + 1 - found.size());
  }

  /** In which order the newest of the rest may be; -1 if nothing is left. */
  private int newest() {
    int best = -1;
    Instant bestAt = null;
    for (int i = 0; i < readers.size(); i++) {
      OrderReader reader = readers.get(i);
      if (!reader.hits().isEmpty() || !reader.isExhausted()) {
        Instant at = at(orders.get(i), reader);
        if (best < 0 || at.isAfter(bestAt)) {
          best = i;
          bestAt = at;
        }
      }
    }
    return best;
  }

  private static Instant at(SearchOrder order, OrderReader reader) {
    if (!order.isTimed()) {
      return Instant.MAX;
    }
    if (!reader.hits().isEmpty()) {
      return reader.hits().element().place().at();
    }
    SearchPosition frontier = reader.frontier();
    if (frontier == null) {
      return Instant.MAX;
    }
    return frontier.inclusive() ? frontier.at() : frontier.at().minusNanos(1);
  }

  private String cursor(int order, SearchPosition position) {
    return new SearchCursor(SearchCursor.codes(orders), order, position).encode();
  }

  private EventPage page(String next, boolean scanLimited) {
    return new EventPage(found, next, scanned, scanLimited);
  }
}
