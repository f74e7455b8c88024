package io.outbox.cli.change;

import com.google.gson.JsonObject;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.EventTable;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.Interruption;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Progress;
import io.outbox.cli.output.Words;
import io.outbox.operate.ActionProgress;
import io.outbox.operate.Count;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Preview;
import io.outbox.util.Printable;
import java.util.List;
import java.util.stream.Collectors;

/** An action on all events of a filter: look, ask, do it with progress. */
public final class BulkRun {

  private static final Count NONE = Count.exactly(0);

  private final OutboxOperator operator;
  private final OperatorAction action;
  private final EventFilter filter;
  private final long limit;
  private final Output output;

  public BulkRun(
      OutboxOperator operator,
      OperatorAction action,
      EventFilter filter,
      long limit,
      Output output) {
    this.operator = operator;
    this.action = action;
    this.filter = filter;
    this.limit = limit;
    this.output = output;
  }

  /** Shows what would be changed. */
  int show() {
    Preview preview = preview();
    print(preview);
    return preview.count().equals(NONE) ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  /** Does it, if {@code ask} after it was shown and confirmed. */
  int perform(boolean ask) {
    long total = 0;
    if (ask) {
      Preview preview = preview();
      print(preview);
      if (preview.count().equals(NONE)) {
        return ExitCode.NOTHING_MATCHED;
      } else if (!confirmed(preview.count())) {
        output.note("Nothing was changed.");
        return ExitCode.FAILED;
      }
      total = preview.count().precision() == Count.Precision.EXACT ? preview.count().value() : 0;
    }
    return perform(total);
  }

  private Preview preview() {
    Preview all = operator.preview(action, filter);
    return all.count().value() < limit
        ? all
        : new Preview(Count.exactly(limit), all.sample().stream().limit(limit).toList());
  }

  private boolean confirmed(Count count) {
    String which = count.value() == 0 ? "what matches among all rows" : Words.events(count);
    return output.terminal().confirms("%s %s?".formatted(action.name(), which));
  }

  private int perform(long total) {
    Progress bar = output.progress(action.name(), total);
    ActionProgress end;
    boolean stopped;
    try (Interruption interruption = Interruption.watch()) {
      end =
          operator.perform(
              action,
              filter,
              limit,
              progress -> {
                bar.at(progress.changed(), progress.scanned());
                return !interruption.isRequested();
              });
      stopped = interruption.isRequested() && !end.finished();
      bar.end();
      report(end, stopped);
    }
    if (stopped) {
      return ExitCode.STOPPED;
    }
    return end.changed() == 0 ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  private void report(ActionProgress end, boolean stopped) {
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", action.name());
      json.addProperty("dryRun", false);
      json.addProperty("filter", filter.toString());
      json.addProperty("changed", end.changed());
      json.addProperty("finished", end.finished());
      output.json(json);
    } else {
      output.line(
          action.name()
              + ": "
              + Words.events(end.changed())
              + " changed"
              + (end.finished() ? "" : ", not all that match"));
    }
    if (stopped) {
      output.note("Stopped. Run it again to continue: no event is changed twice.");
    } else if (end.changed() == 0) {
      output.note("No event matches " + Printable.line(filter.toString()) + ".");
    }
  }

  private void print(Preview preview) {
    printPreview(action, preview, output);
    if (preview.count().equals(NONE) && !output.isJson()) {
      output.note(
          "No event matches "
              + Printable.line(filter.toString())
              + ", or it is in a status that "
              + scope(action));
    }
  }

  public static void printPreview(OperatorAction action, Preview preview, Output output) {
    Count count = preview.count();
    List<EventSummary> sample = preview.sample();
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", action.name());
      json.addProperty("dryRun", true);
      json.addProperty("wouldChange", count.value());
      json.addProperty("precision", count.precision().name());
      json.add("sample", EventJson.array(sample, EventJson::of));
      output.json(json);
    } else if (count.value() == 0 && !count.equals(NONE)) {
      output.line(action.name() + " would change 0 events or more.");
      output.note(
          "A dry run counts for 200 ms, and found no match among the newest rows; "
              + action.name()
              + " itself looks at all rows.");
    } else {
      output.line(
          action.name()
              + " would change "
              + Words.events(count)
              + (sample.size() < count.value() ? ", for example" : "")
              + (count.equals(NONE) ? "." : ":"));
    }
    if (!sample.isEmpty() && !output.isJson()) {
      output.table(EventTable.of(sample));
    }
  }

  /** For example {@code replay does not apply to (it does to DEAD, DONE)}. */
  static String scope(OperatorAction action) {
    return action.appliesTo().stream()
        .map(Enum::name)
        .sorted()
        .collect(Collectors.joining(", ", action.name() + " does not apply to (it does to ", ")."));
  }
}
