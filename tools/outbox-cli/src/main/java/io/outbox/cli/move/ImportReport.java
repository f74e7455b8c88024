package io.outbox.cli.move;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.move.Tally.Outcome;
import io.outbox.cli.move.mapping.RowKind;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.TextTable;
import io.outbox.cli.output.TextTable.Column;
import io.outbox.cli.output.Words;
import io.outbox.util.Printable;
import java.util.Map;
import java.util.stream.Collectors;

/** Says what was done, or would be. */
final class ImportReport {

  /** What the command was asked to do. */
  enum Action {
    DRY_RUN("would be imported"),
    VERIFY("missing in the outbox table"),
    COPY("imported"),
    TAKE("imported");

    private final String imported;

    Action(String imported) {
      this.imported = imported;
    }
  }

  private final Action action;
  private final boolean ofAll;
  private final String source;
  private final Output output;

  /**
   * @param ofAll whether every row was wanted, and not only some
   */
  ImportReport(Action action, boolean ofAll, String source, Output output) {
    this.action = action;
    this.ofAll = ofAll;
    this.source = source;
    this.output = output;
  }

  /**
   * Prints it.
   *
   * @param left how many rows of each kind there are in the source table now
   * @return the exit code
   */
  int print(Tally tally, Map<RowKind, Long> left, boolean stopped) {
    if (output.isJson()) {
      output.json(json(tally, left, stopped));
    } else {
      text(tally, left);
    }
    if (stopped) {
      output.note("Stopped. Run it again to continue: no event is imported twice.");
      return ExitCode.STOPPED;
    }
    boolean unequal = action == Action.VERIFY && tally.of(Outcome.IMPORTED) > 0;
    if (tally.of(Outcome.REFUSED) > 0 || unequal) {
      return ExitCode.PROBLEMS_FOUND;
    }
    boolean shouldBeGone = tally.rows() == 0 || action == Action.TAKE && ofAll;
    if (shouldBeGone && left.getOrDefault(RowKind.PENDING, 0L) > 0) {
      output.note(
          "Rows of "
              + source
              + " match the mapping, but others have them locked, or they are too young. Run it"
              + " again.");
      return ExitCode.PROBLEMS_FOUND;
    }
    if (tally.rows() == 0) {
      output.note("No row of " + source + " matches the mapping.");
      return ExitCode.NOTHING_MATCHED;
    }
    return ExitCode.OK;
  }

  private void text(Tally tally, Map<RowKind, Long> left) {
    output.line(
        "%s: %s, %s %s, %s %s, %s refused%s"
            .formatted(
                source,
                Words.counted(tally.rows(), "row"),
                Words.number(tally.of(Outcome.IMPORTED)),
                action.imported,
                Words.number(tally.of(Outcome.ALREADY_THERE)),
                action == Action.VERIFY ? "equal" : "already there",
                Words.number(tally.of(Outcome.REFUSED)),
                action == Action.TAKE ? ", " + Words.number(tally.taken()) + " taken" : ""));
    output.line("Now in " + source + ": " + counts(left));
    if (action == Action.DRY_RUN && !tally.sample().isEmpty()) {
      output.table(table(tally));
    }
    tally
        .refused()
        .forEach(
            row ->
                output.note(
                    Printable.line(
                        "refused: row " + EventIds.text(row.key()) + ": " + row.refusal())));
  }

  private static String counts(Map<RowKind, Long> left) {
    return left.entrySet().stream()
        .map(count -> Words.number(count.getValue()) + " " + count.getKey())
        .collect(Collectors.joining(", "));
  }

  private static TextTable table(Tally tally) {
    TextTable table =
        new TextTable(
            Column.fixed("ID"),
            Column.fixed("OCCURRED"),
            Column.text("TYPE"),
            Column.text("AGGREGATE"),
            Column.text("HEADERS"),
            Column.text("PAYLOAD"));
    for (EventEnvelope event : tally.sample()) {
      table.row(
          event.eventId(),
          Words.time(event.occurredAt()),
          event.eventType(),
          event.aggregateType() + (event.aggregateId() == null ? "" : "/" + event.aggregateId()),
          event.headers(),
          event.payloadJson() == null ? event.contentType() : event.payloadJson());
    }
    return table;
  }

  private JsonObject json(Tally tally, Map<RowKind, Long> left, boolean stopped) {
    JsonObject json = new JsonObject();
    json.addProperty("action", action.name());
    json.addProperty("source", source);
    json.addProperty("rows", tally.rows());
    String imported =
        switch (action) {
          case DRY_RUN -> "wouldImport";
          case VERIFY -> "missing";
          default -> "imported";
        };
    json.addProperty(imported, tally.of(Outcome.IMPORTED));
    json.addProperty("alreadyThere", tally.of(Outcome.ALREADY_THERE));
    json.addProperty("refused", tally.of(Outcome.REFUSED));
    json.addProperty("taken", tally.taken());
    json.addProperty("finished", !stopped);
    JsonObject now = new JsonObject();
    left.forEach((kind, count) -> now.addProperty(kind.toString(), count));
    json.add("left", now);
    JsonArray refused = new JsonArray();
    for (SourceRow row : tally.refused()) {
      JsonObject each = new JsonObject();
      each.addProperty("key", EventIds.text(row.key()));
      each.addProperty("reason", row.refusal());
      refused.add(each);
    }
    json.add("problems", refused);
    return json;
  }
}
