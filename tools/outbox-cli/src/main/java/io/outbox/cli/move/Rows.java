package io.outbox.cli.move;

import io.outbox.cli.move.mapping.RowKind;
import io.outbox.model.EventStatus;
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
  private final boolean comparesStatus;

  /**
   * @param olderThan how long ago an event must have occurred
   * @param comparesStatus whether finished and dead rows are finished and dead events; not if rows
   *     that were taken look finished
   */
  Rows(Duration olderThan, boolean comparesStatus) {
    this.olderThan = olderThan;
    this.comparesStatus = comparesStatus;
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

  /**
   * For a row whose event is there: whether it is the same one.
   *
   * @param take whether the row would leave its table, and only the event remain
   */
  boolean isSame(OutboxEvent stored, SourceRow row, RowKind kind, boolean take, Tally tally) {
    String id = stored.eventId();
    String difference = TargetEvents.difference(stored, row);
    if (difference == null && comparesStatus && kind != RowKind.PENDING && isOpen(stored)) {
      difference = "status";
    }
    if (difference != null) {
      tally.refuse(
          row,
          ("the event %s is there already, with another %s; if it is of another table, set"
                  + " id-namespace")
              .formatted(id, difference));
      return false;
    }
    if (take && stored.status() == EventStatus.DEAD) {
      tally.refuse(
          row, "the event %s is DEAD here: outbox replay %1$s, then run again".formatted(id));
      return false;
    }
    tally.add(Tally.Outcome.ALREADY_THERE, row);
    return true;
  }

  private static boolean isOpen(OutboxEvent stored) {
    return stored.status() == EventStatus.NEW || stored.status() == EventStatus.RETRY;
  }
}
