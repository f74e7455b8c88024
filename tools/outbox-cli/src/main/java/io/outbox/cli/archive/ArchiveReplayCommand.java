package io.outbox.cli.archive;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.EventTable;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.FilterOptions;
import io.outbox.cli.command.Interruption;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Progress;
import io.outbox.cli.output.Words;
import io.outbox.jdbc.archive.ArchiveReplay;
import io.outbox.jdbc.archive.ArchiveReplayException;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "replay",
    header = "Deliver archived events again.",
    description = {
      "Inserts them into the outbox table under their ids: NEW, without attempts, due at once, and",
      "behind all events of their keys. The archive keeps them. An event that the outbox table has",
      "is left alone: use outbox replay for it.",
      "",
      "With a filter it shows some of the events, and asks. It works in batches; Ctrl-C stops it",
      "between two batches. If it ends early it prints how to continue: repeat the filter with",
      "--after and with the times it printed, which replace times such as 2h. A run from the",
      "beginning delivers events again that are done and deleted meanwhile.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox archive replay 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T",
      "  outbox archive replay --type OrderPlaced --from 2026-03-01 --until 2026-03-02 --yes",
      "  outbox archive replay --key order-17 --files /var/lib/shop/archive --dry-run",
    })
final class ArchiveReplayCommand extends DatabaseCommand {

  private static final int SHOWN = 10;

  @Parameters(
      arity = "0..*",
      paramLabel = "ID",
      description = "These events, in this order, without asking; instead of a filter.")
  private List<String> ids = new ArrayList<>();

  @Mixin private ArchivePlace place;

  @ArgGroup(validate = false, order = 10, heading = "%nWhich events:%n")
  private FilterOptions which = new FilterOptions();

  @Option(names = "--all", description = "The whole archive, without a filter.")
  private boolean all;

  @Option(names = "--limit", paramLabel = "N", description = "Stop after so many events.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--after",
      paramLabel = "CURSOR",
      description = "Continue a replay of this filter that ended early; it printed the value.")
  private String after;

  @Option(names = "--dry-run", description = "Only show some of the events.")
  private boolean dryRun;

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask for confirmation; for scripts.")
  private boolean yes;

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description = "The name for the audit. Default: the user of this machine.")
  private String actor;

  @Override
  protected int run(OutboxSession session, Output output) {
    check(output);
    EventArchive archive = place.open(session);
    EventArchive acting = actor == null ? archive : archive.as(actor);
    if (!ids.isEmpty()) {
      return replayEach(acting, output);
    }
    EventFilter filter = which.filter(session);
    if (dryRun || !yes) {
      EventPage sample = archive.search(filter, null, (int) Math.min(SHOWN, limit));
      show(sample, output);
      if (dryRun || sample.events().isEmpty() && sample.next() == null) {
        return sample.events().isEmpty() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
      } else if (!output.terminal().confirms("Replay all that match?")) {
        output.note("Nothing was changed.");
        return ExitCode.FAILED;
      }
    }
    return replayAll(acting, filter, output);
  }

  private void check(Output output) {
    if (limit < 1) {
      throw wrong("--limit must be 1 or more");
    }
    boolean filtered = !which.isEmpty();
    if (!ids.isEmpty() && (filtered || all || dryRun)) {
      throw wrong("ids exclude a filter, --all and --dry-run");
    } else if (after != null && (!ids.isEmpty() || dryRun)) {
      throw wrong("--after continues a replay with a filter: it excludes ids and --dry-run");
    } else if (ids.isEmpty() && !filtered && !all) {
      throw wrong("which events? Name ids or a filter, or say --all");
    } else if (filtered && all) {
      throw wrong("--all means every event: leave it out, or the filter");
    } else if (ids.isEmpty() && !dryRun && !yes) {
      requireTerminal(output);
    }
  }

  private int replayEach(EventArchive archive, Output output) {
    Set<String> asked = new LinkedHashSet<>(ids);
    long replayed = asked.stream().filter(archive::replay).count();
    report(new ArchiveReplay(replayed, asked.size() - replayed, null), Map.of(), output);
    if (replayed < asked.size()) {
      output.note(
          (asked.size() - replayed)
              + " of "
              + asked.size()
              + " unchanged: not in the archive, or in the outbox table.");
    }
    return replayed < asked.size() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  private static void show(EventPage sample, Output output) {
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", "archive replay");
      json.addProperty("dryRun", true);
      json.add("sample", EventJson.array(sample.events(), EventJson::of));
      json.addProperty("more", sample.next() != null);
      output.json(json);
    } else if (sample.events().isEmpty()) {
      output.note(
          sample.next() == null
              ? "No archived event matches."
              : "No event matches among the " + Words.number(sample.scanned()) + " looked at.");
    } else {
      output.line(
          "archive replay would look at "
              + (sample.next() == null
                  ? Words.events(sample.events().size()) + ":"
                  : "these events and more:"));
      output.table(EventTable.of(sample.events()));
    }
  }

  private int replayAll(EventArchive archive, EventFilter filter, Output output) {
    Map<String, Instant> times = times(filter);
    Progress bar = output.progress("archive replay", 0);
    ArchiveReplay end;
    boolean stopped;
    try (Interruption interruption = Interruption.watch()) {
      end =
          archive.replay(
              filter,
              after,
              limit,
              progress -> {
                bar.at(progress.changed(), progress.scanned());
                return !interruption.isRequested();
              });
      stopped = interruption.isRequested() && !end.finished();
      bar.end();
      report(end, times, output);
    } catch (ArchiveReplayException e) {
      bar.end();
      output.note("Failed; " + howToContinue(e.soFar(), times));
      throw e;
    }
    if (!end.finished()) {
      output.note((stopped ? "Stopped; " : "Ended at the limit; ") + howToContinue(end, times));
    }
    if (stopped) {
      return ExitCode.STOPPED;
    }
    return end.replayed() == 0 ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  /** The times of a filter, by option: times such as 2h would mean other events in the next run. */
  private static Map<String, Instant> times(EventFilter filter) {
    Map<String, Instant> times = new LinkedHashMap<>();
    filter.createdFrom().ifPresent(at -> times.put("from", at));
    filter.createdUntil().ifPresent(at -> times.put("until", at));
    return times;
  }

  private static String howToContinue(ArchiveReplay end, Map<String, Instant> times) {
    StringBuilder text = new StringBuilder("to continue, repeat it with --after " + end.next());
    times.forEach((option, at) -> text.append(" --" + option + " " + at));
    return text.toString();
  }

  private static void report(ArchiveReplay end, Map<String, Instant> times, Output output) {
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", "archive replay");
      json.addProperty("dryRun", false);
      json.addProperty("replayed", end.replayed());
      json.addProperty("unchanged", end.present());
      json.addProperty("finished", end.finished());
      json.addProperty("next", end.next());
      times.forEach((option, at) -> json.addProperty(option, at.toString()));
      output.json(json);
    } else {
      output.line(
          "archive replay: "
              + Words.events(end.replayed())
              + " replayed"
              + (end.present() == 0 ? "" : ", " + Words.number(end.present()) + " left alone"));
    }
  }
}
