package io.outbox.cli.move;

import io.outbox.model.OutboxEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Sorts rows before anything is done with them. */
final class Rows {

  private final Duration olderThan;

  /**
   * @param olderThan how long ago an event must have occurred
   */
  Rows(Duration olderThan) {
    this.olderThan = olderThan;
  }

  /**
   * Those that become events; refused ones are in the tally, and too young ones nowhere.
   *
   * @param now the database's time
   */
  List<SourceRow> usable(List<SourceRow> rows, Instant now, Tally tally) {
    Instant latest = olderThan.isZero() ? Instant.MAX : now.minus(olderThan);
    Set<String> ids = new HashSet<>();
    List<SourceRow> usable = new ArrayList<>();
    for (SourceRow row : rows) {
      if (row.event() == null) {
        tally.refuse(row, row.refusal());
      } else if (!ids.add(row.event().eventId())) {
        tally.refuse(row, "another row has the event id " + row.event().eventId());
      } else if (!row.event().occurredAt().isAfter(latest)) {
        usable.add(row);
      }
    }
    return usable;
  }

  /** For a row whose event is there: whether it is the same one. */
  static boolean compare(TargetEvents target, OutboxEvent stored, SourceRow row, Tally tally) {
    String difference = target.difference(stored, row.event());
    if (difference == null) {
      tally.add(Tally.Outcome.ALREADY_THERE, row);
    } else {
      tally.refuse(
          row, "the event " + stored.eventId() + " is there already, with another " + difference);
    }
    return difference == null;
  }
}
