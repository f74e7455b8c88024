package io.outbox.jdbc.store;

import io.outbox.jdbc.store.Window.Request;
import io.outbox.jdbc.store.Window.Row;
import io.outbox.operate.EventSummary;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Goes along one walk, a window at a time, and keeps what matches until it is taken. */
class WalkReader {

  /** A bigger one would take too long, and a planner might prefer to read the whole table. */
  static final int LARGEST_WINDOW = 5_000;

  private static final int FIRST_WINDOW = 500;
  private static final int GROWTH = 4;

  /** After a slower one, as with long errors to look through, windows are not made larger. */
  private static final Duration QUICK = Duration.ofMillis(25);

  final Window window;
  final Walk walk;
  final Conditions bounds;
  final Conditions filter;
  private final Deque<Hit> hits = new ArrayDeque<>();
  private Bound frontier;
  private boolean exhausted;
  private int size;
  private boolean quick;

  /** An event that matches, and its place on the walk. */
  record Hit(EventSummary event, Bound place) {}

  WalkReader(Window window, Walk walk, Conditions bounds, Conditions filter, Bound start) {
    this.window = window;
    this.walk = walk;
    this.bounds = bounds;
    this.filter = filter;
    this.frontier = start;
  }

  static WalkReader of(
      Window window, Walk walk, Conditions bounds, Conditions filter, Bound start) {
    return walk.isTimed() && walk.tie() == null
        ? new InstantsReader(window, walk, bounds, filter, start)
        : new WalkReader(window, walk, bounds, filter, start);
  }

  /** Everything before it has been looked at; null if nothing was. */
  final Bound frontier() {
    return frontier;
  }

  final void moveTo(Bound bound) {
    frontier = bound;
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
    int rows = Math.min(most, nextSize(filter.isEmpty() ? wanted : FIRST_WINDOW));
    List<Row> read = read(conn, new Request(walk, bounds, filter, frontier), rows, wanted);
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

  private Bound place(Row row) {
    EventSummary event = row.event();
    String tie = walk.tie() == Walk.Tie.SEQ ? String.valueOf(event.seq()) : event.eventId();
    return Bound.behind(walk.isTimed() ? row.at() : null, tie);
  }

  final List<Row> read(Connection conn, Request request, int rows, int wanted) {
    long began = System.nanoTime();
    List<Row> read = window.read(conn, request, rows, wanted);
    quick = System.nanoTime() - began < QUICK.toNanos();
    return read;
  }

  final void keep(Row row, Bound place) {
    hits.add(new Hit(row.event(), place));
  }

  /** Small at first: what is looked for is often among the newest. */
  final int nextSize(int first) {
    if (size == 0) {
      size = Math.min(first, LARGEST_WINDOW);
    } else if (quick) {
      grow();
    }
    return size;
  }

  final void grow() {
    size = Math.min(size * GROWTH, LARGEST_WINDOW);
  }
}
