package io.outbox.cli;

import io.outbox.AggregateType;
import io.outbox.cli.output.Style;
import io.outbox.cli.output.TextTable;
import io.outbox.cli.output.TextTable.Cell;
import io.outbox.cli.output.TextTable.Column;
import io.outbox.cli.output.Words;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventSummary;
import java.util.List;

/** Events as people read them. */
final class EventTable {

  private EventTable() {}

  static TextTable of(List<EventSummary> events) {
    TextTable table =
        new TextTable(
            Column.fixed("ID"),
            Column.fixed("STATUS"),
            Column.number("FAILED"),
            Column.fixed("CREATED"),
            Column.text("TYPE"),
            Column.text("KEY"),
            Column.text("ERROR"));
    events.forEach(
        event ->
            table.row(
                event.eventId(),
                status(event),
                event.attempts(),
                Words.time(event.createdAt()),
                event.eventType(),
                key(event),
                event.lastError()));
    return table;
  }

  /** Pending events that a node has leased are marked. */
  private static Cell status(EventSummary event) {
    boolean leased = event.status().isPending() && event.lockedBy() != null;
    return new Cell(event.status() + (leased ? "*" : ""), style(event.status()));
  }

  static Style style(EventStatus status) {
    return switch (status) {
      case NEW -> Style.PLAIN;
      case DONE -> Style.GREEN;
      case RETRY -> Style.YELLOW;
      case DEAD -> Style.RED;
    };
  }

  private static String key(EventSummary event) {
    if (event.orderingKey() != null) {
      return event.orderingKey();
    }
    String type = event.aggregateType();
    boolean typed = type != null && !type.equals(AggregateType.GLOBAL.name());
    if (event.aggregateId() == null) {
      return typed ? type : "";
    }
    return typed ? type + ":" + event.aggregateId() : event.aggregateId();
  }
}
