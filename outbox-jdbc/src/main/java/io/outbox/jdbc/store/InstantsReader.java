package io.outbox.jdbc.store;

import io.outbox.jdbc.store.Window.Request;
import io.outbox.jdbc.store.Window.Row;
import java.sql.Connection;
import java.util.List;

/**
 * For an index by time alone: all rows of an instant are taken together, in the order of their ids.
 * If they are too many for that, they are found along the primary key.
 */
final class InstantsReader extends WalkReader {

  private static final int FIRST_WINDOW = 1_000;

  /** Whatever may be looked at: with less it would take long to get past an instant. */
  private static final int SMALLEST_WINDOW = 100;

  InstantsReader(Window window, Walk walk, Conditions bounds, Conditions filter, Bound start) {
    super(window, walk, bounds, filter, start);
  }

  @Override
  int advance(Connection conn, int most, int wanted) {
    Bound from = frontier();
    if (from != null && from.crowded()) {
      return advanceInCrowd(conn, from, most, wanted);
    }
    int rows = Math.max(SMALLEST_WINDOW, Math.min(most, nextSize(FIRST_WINDOW)));
    List<Row> read = read(conn, new Request(walk, bounds, behind(from), from), rows, rows);
    if (read.isEmpty()) {
      end();
      return 0;
    }
    Row last = read.get(read.size() - 1);
    boolean whole = last.number() < rows;
    if (!whole && from != null && from.inclusive() && last.at().equals(from.at())) {
      return lookFurther(conn, from, rows, most, wanted);
    }
    read.stream()
        .filter(row -> row.hit() && (whole || row.at().isAfter(last.at())))
        .forEach(row -> keep(row, place(row)));
    if (whole) {
      end();
    }
    moveTo(Bound.from(last.at()));
    return last.number();
  }

  private static Bound place(Row row) {
    return Bound.behind(row.at(), row.event().eventId());
  }

  /** The index cannot leave out those of an instant that were found already. */
  private Conditions behind(Bound from) {
    return from == null || from.tie() == null
        ? filter
        : new Conditions()
            .addAll(filter)
            .add("pos < ? OR event_id < ?", window.time(from.at()), from.tie());
  }

  /** There was no row of another instant. */
  private int lookFurther(Connection conn, Bound from, int rows, int most, int wanted) {
    if (rows >= most || rows >= LARGEST_WINDOW) {
      moveTo(from.inCrowd());
      return advanceInCrowd(conn, from, most, wanted);
    }
    grow();
    return 0;
  }

  private int advanceInCrowd(Connection conn, Bound from, int most, int wanted) {
    Conditions ofInstant =
        new Conditions()
            .add(walk.rows())
            .add("pos = ?", window.time(from.at()))
            .addAll(bounds)
            .addAll(filter);
    Bound start = from.tie() == null ? null : Bound.behind(null, from.tie());
    int rows = Math.max(SMALLEST_WINDOW, Math.min(most, LARGEST_WINDOW));
    Request request = new Request(Walks.BY_ID, new Conditions(), ofInstant, start, walk.at());
    List<Row> read = read(conn, request, rows, wanted);
    Row last = read.isEmpty() ? null : read.get(read.size() - 1);
    read.stream().filter(Row::hit).forEach(row -> keep(row, place(row).inCrowd()));
    if (last == null || (last.last() && last.number() < rows)) {
      moveTo(Bound.before(from.at()));
    } else {
      moveTo(Bound.behind(from.at(), last.event().eventId()).inCrowd());
    }
    return last == null ? 0 : last.number();
  }
}
