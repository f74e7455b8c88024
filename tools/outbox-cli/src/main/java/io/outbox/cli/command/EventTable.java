package io.outbox.cli.command;

import io.outbox.AggregateType;
import io.outbox.cli.output.Style;
import io.outbox.cli.output.TextTable;
import io.outbox.cli.output.TextTable.Cell;
import io.outbox.cli.output.TextTable.Column;
import io.outbox.cli.output.Words;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Events as people read them. */
public final class EventTable {

  private EventTable() {}

  public static TextTable of(List<EventSummary> events) {
    return of(events, event -> "");
  }

  /**
   * @param obstacle what is in an event's way, or empty; the column is there if one has any
   */
  public static TextTable of(List<EventSummary> events, Function<EventSummary, String> obstacle) {
    List<Column> columns =
        new ArrayList<>(
            List.of(
                Column.fixed("ID"),
                Column.fixed("STATE"),
                Column.fixed("STATUS"),
                Column.number("FAILED"),
                Column.fixed("CREATED"),
                Column.fixed("NEXT ATTEMPT"),
                Column.text("TYPE"),
                Column.text("KEY"),
                Column.text("ERROR")));
    boolean waits = events.stream().map(obstacle).anyMatch(text -> !text.isEmpty());
    if (waits) {
      columns.add(Column.text("WAITS FOR"));
    }
    TextTable table = new TextTable(columns.toArray(new Column[0]));
    for (EventSummary event : events) {
      List<Object> row =
          new ArrayList<>(
              List.of(
                  event.eventId(),
                  new Cell(event.state().name(), style(event.status())),
                  event.status(),
                  event.attempts(),
                  Words.time(event.createdAt()),
                  next(event),
                  event.eventType(),
                  key(event)));
      row.add(Words.shortened(event.lastError()));
      if (waits) {
        row.add(obstacle.apply(event));
      }
      table.row(row.toArray());
    }
    return table;
  }

  /** When it may be delivered; a node that has leased it is at it. */
  private static String next(EventSummary event) {
    if (!event.status().isPending()) {
      return "";
    }
    return event.lockedBy() != null ? "leased" : Words.time(event.availableAt());
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
