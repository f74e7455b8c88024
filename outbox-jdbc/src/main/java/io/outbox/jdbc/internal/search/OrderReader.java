package io.outbox.jdbc.internal.search;

import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.search.IndexScan.Request;
import io.outbox.jdbc.internal.search.IndexScan.Row;
import io.outbox.operate.EventSummary;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/** Reads one order, a scan at a time, and keeps what matches until it is taken. */
class OrderReader {

  /** A bigger one would take too long, and a planner might prefer to read the whole table. */
  static final int LARGEST_SCAN = 5_000;

  private static final int FIRST_SCAN = 500;
  private static final int GROWTH = 4;

  /** After a slower one, as with long errors to look through, scans are not made larger. */
  private static final Duration QUICK = Duration.ofMillis(25);

  final IndexScan scan;
  final SearchOrder order;
  final Conditions bounds;
  final Conditions filter;
  private final Predicate<EventSummary> exactly;
  private final Deque<Hit> hits = new ArrayDeque<>();
  private SearchPosition frontier;
  private boolean exhausted;
  private int size;
  private boolean quick;

  /** An event that matches, and its place in the order. */
  record Hit(EventSummary event, SearchPosition place) {}

  OrderReader(IndexScan scan, Request first, Predicate<EventSummary> exactly) {
    this.scan = scan;
    this.order = first.order();
    this.bounds = first.bounds();
    this.filter = first.filter();
    this.exactly = exactly;
    this.frontier = first.from();
  }

  /**
   * @param exactly which of the rows that the conditions find
   */
  static OrderReader of(IndexScan scan, Request first, Predicate<EventSummary> exactly) {
    return first.order().isTimed() && first.order().tie() == null
        ? new InstantsReader(scan, first, exactly)
        : new OrderReader(scan, first, exactly);
  }

  /** Everything before it has been looked at; null if nothing was. */
  final SearchPosition frontier() {
    return frontier;
  }

  final void moveTo(SearchPosition position) {
    frontier = position;
  }

  final boolean isExhausted() {
    return exhausted;
  }

  final void end() {
    exhausted = true;
  }

  final Deque<Hit> hits() {
    return hits;
  }

  /**
   * Looks at the next rows.
   *
   * @param most how many rows at most
   * @param wanted how many matching ones are enough
   * @return how many rows were looked at
   */
  int advance(Connection conn, int most, int wanted) {
    int rows = Math.min(most, nextSize(filter.isEmpty() ? wanted : FIRST_SCAN));
    List<Row> read = read(conn, new Request(order, bounds, filter, frontier), rows, wanted);
    if (read.isEmpty()) {
      end();
      return 0;
    }
    read.stream().filter(Row::hit).forEach(row -> keep(row, place(row)));
    Row last = read.get(read.size() - 1);
    moveTo(place(last));
    if (last.last() && last.number() < rows) {
      end();
    }
    return last.number();
  }

  private SearchPosition place(Row row) {
    EventSummary event = row.event();
    String tie = order.tie() == SearchOrder.Tie.SEQ ? String.valueOf(event.seq()) : event.eventId();
    return SearchPosition.behind(order.isTimed() ? row.at() : null, tie);
  }

  final List<Row> read(Connection conn, Request request, int rows, int wanted) {
    long began = System.nanoTime();
    List<Row> read = scan.read(conn, request, rows, wanted);
    quick = System.nanoTime() - began < QUICK.toNanos();
    return read;
  }

  final void keep(Row row, SearchPosition place) {
    if (exactly.test(row.event())) {
      hits.add(new Hit(row.event(), place));
    }
  }

  /** Small at first: what is looked for is often among the newest. */
  final int nextSize(int first) {
    if (size == 0) {
      size = Math.min(first, LARGEST_SCAN);
    } else if (quick) {
      grow();
    }
    return size;
  }

  final void grow() {
    size = Math.min(size * GROWTH, LARGEST_SCAN);
  }
}
