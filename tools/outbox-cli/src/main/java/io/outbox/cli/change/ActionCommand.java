package io.outbox.cli.change;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.FilterOptions;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Words;
import io.outbox.model.EventStatus;
import io.outbox.operate.Count;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Preview;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Does something to events: to some by their ids at once, to those of a filter when confirmed. */
abstract class ActionCommand extends DatabaseCommand {

  @Parameters(
      arity = "0..*",
      paramLabel = "ID",
      description = "These events, without asking; instead of a filter.")
  private List<String> ids = new ArrayList<>();

  @ArgGroup(validate = false, order = 10, heading = "%nWhich events:%n")
  private FilterOptions which = new FilterOptions();

  @Option(names = "--all", description = "All events it applies to, without a filter.")
  private boolean all;

  @Option(names = "--limit", paramLabel = "N", description = "Stop after so many events.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--dry-run",
      description = "Only show how many events would change, and some of them.")
  private boolean dryRun;

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask for confirmation; for scripts.")
  private boolean yes;

  @Mixin private ActorOption actor;

  abstract OperatorAction action(OutboxSession session);

  /** What is meant if no status is named. */
  abstract Set<EventStatus> usualStatuses();

  @Override
  protected final int run(OutboxSession session, Output output) {
    check(output);
    OutboxOperator operator = actor.applyTo(session.operator());
    OperatorAction action = action(session);
    if (!ids.isEmpty()) {
      return dryRun ? showEach(operator, action, output) : changeEach(operator, action, output);
    }
    EventFilter filter = which.filter(session);
    if (!which.namesStatus()) {
      filter = filter.toBuilder().statuses(usualStatuses()).build();
    }
    BulkRun bulk = new BulkRun(operator, action, filter, limit, output);
    return dryRun ? bulk.show() : bulk.perform(!yes);
  }

  private void check(Output output) {
    if (limit < 1) {
      throw wrong("--limit must be 1 or more");
    }
    boolean filtered = !which.isEmpty();
    if (!ids.isEmpty()) {
      if (filtered || all) {
        throw wrong("ids and a filter, or --all, exclude each other");
      } else if (ids.size() > OutboxOperator.BATCH) {
        throw wrong("at most " + OutboxOperator.BATCH + " ids can be named; use a filter");
      }
    } else if (!filtered && !all) {
      throw wrong("which events? Name ids or a filter, or say --all");
    } else if (filtered && all) {
      throw wrong("--all means every event: leave it out, or the filter");
    } else if (!dryRun && !yes) {
      requireTerminal(output);
    }
  }

  private int changeEach(OutboxOperator operator, OperatorAction action, Output output) {
    int asked = Set.copyOf(ids).size();
    int changed = operator.perform(action, ids);
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", action.name());
      json.addProperty("dryRun", false);
      json.addProperty("changed", changed);
      json.addProperty("finished", true);
      output.json(json);
    } else {
      output.line(action.name() + ": " + Words.events(changed) + " changed");
    }
    if (changed < asked) {
      output.note(
          (asked - changed)
              + " of "
              + asked
              + " unchanged: missing, locked by a node, or in a status that "
              + BulkRun.scope(action));
    }
    return changed < asked ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  private int showEach(OutboxOperator operator, OperatorAction action, Output output) {
    List<EventSummary> would =
        new TreeSet<>(ids)
            .stream()
                .flatMap(id -> operator.find(id).stream())
                .filter(event -> action.appliesTo().contains(event.status()))
                .map(EventSummary::of)
                .toList();
    BulkRun.printPreview(action, new Preview(Count.exactly(would.size()), would), output);
    return would.isEmpty() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }
}
