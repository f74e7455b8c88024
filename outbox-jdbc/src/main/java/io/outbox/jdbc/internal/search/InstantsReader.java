package io.outbox.jdbc.internal.search;

import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.search.IndexScan.Request;
import io.outbox.jdbc.internal.search.IndexScan.Row;
import io.outbox.operate.EventSummary;
import java.sql.Connection;
import java.util.List;
import java.util.function.Predicate;

/**
 * For an index by time alone: all rows of an instant are taken together, in the order of their ids.
 * If they are too many for that, they are found along the primary key.
 */
final class InstantsReader extends OrderReader {

  private static final int FIRST_SCAN = 1_000;

  /** Whatever may be looked at: with less it would take long to get past an instant. */
  private static final int SMALLEST_SCAN = 100;

  InstantsReader(IndexScan scan, Request first, Predicate<EventSummary> exactly) {
    super(scan, first, exactly);
  }

  @Override
  int advance(Connection conn, int most, int wanted) {
    SearchPosition from = frontier();
    if (from != null && from.crowded()) {
      return advanceInCrowd(conn, from, most, wanted);
    }
    int rows = Math.max(SMALLEST_SCAN, Math.min(most, nextSize(FIRST_SCAN)));
    List<Row> read = read(conn, new Request(order, bounds, behind(from), from), rows, rows);
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
    moveTo(SearchPosition.from(last.at()));
    return last.number();
  }

  private static SearchPosition place(Row row) {
    return SearchPosition.behind(row.at(), row.event().eventId());
  }

  /** The index cannot leave out those of an instant that were found already. */
  private Conditions behind(SearchPosition from) {
    return from == null || from.tie() == null
        ? filter
        : new Conditions()
            .addAll(filter)
            .add("pos < ? OR event_id < ?", scan.time(from.at()), from.tie());
  }

  /** There was no row of another instant. */
  private int lookFurther(Connection conn, SearchPosition from, int rows, int most, int wanted) {
    if (rows >= most || rows >= LARGEST_SCAN) {
      moveTo(from.inCrowd());
      return advanceInCrowd(conn, from, most, wanted);
    }
    grow();
    return 0;
  }

  private int advanceInCrowd(Connection conn, SearchPosition from, int most, int wanted) {
    Conditions ofInstant =
        new Conditions()
            .add(order.rows())
            .add("pos = ?", scan.time(from.at()))
            .addAll(bounds)
            .addAll(filter);
    SearchPosition start = from.tie() == null ? null : SearchPosition.behind(null, from.tie());
    int rows = Math.max(SMALLEST_SCAN, Math.min(most, LARGEST_SCAN));
    Request request =
        new Request(SearchOrders.BY_ID, new Conditions(), ofInstant, start, order.at());
    List<Row> read = read(conn, request, rows, wanted);
    Row last = read.isEmpty() ? null : read.get(read.size() - 1);
    read.stream().filter(Row::hit).forEach(row -> keep(row, place(row).inCrowd()));
    if (last == null || (last.last() && last.number() < rows)) {
      moveTo(SearchPosition.before(from.at()));
    } else {
      moveTo(SearchPosition.behind(from.at(), last.event().eventId()).inCrowd());
    }
    return last == null ? 0 : last.number();
  }
}
