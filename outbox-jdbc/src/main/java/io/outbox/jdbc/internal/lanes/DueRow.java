package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventKey;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.DuePage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A due event, and its place among them. */
record DueRow(DueEvent event, long seq) {

  /** Reads the name of a key, an id, when it is due, and the seq. */
  static DueRow read(StoreContext context, ResultSet row) throws SQLException {
    EventKey key = EventKey.named(row.getString(1));
    return new DueRow(new DueEvent(key, row.getString(2), context.instant(row, 3)), row.getLong(4));
  }

  /** Those of {@code lanes}, of at most {@code limit} that were read. */
  static DuePage page(List<DueRow> rows, Set<Integer> lanes, int limit) {
    DueRow last = rows.size() < limit ? null : rows.get(rows.size() - 1);
    return new DuePage(
        rows.stream()
            .map(DueRow::event)
            .filter(event -> lanes.contains(event.key().lane()))
            .toList(),
        Optional.ofNullable(last).map(row -> PollCursor.behind(row.event().dueAt(), row.seq())));
  }
}
