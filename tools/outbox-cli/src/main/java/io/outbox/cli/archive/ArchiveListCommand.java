package io.outbox.cli.archive;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.EventTable;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.FilterOptions;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Words;
import io.outbox.operate.EventPage;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    header = "List archived events, the newest first.",
    description = {
      "Events that match all filters, one page at a time. Times, types, aggregate ids and keys"
          + " lead",
      "to their events; with other filters a page looks at 20,000 events, and says so.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox archive list --type OrderPlaced --from 2026-03-01 --until 2026-03-02",
      "  outbox archive list --key order-17 --json | jq -r '.events[].id'",
      "  outbox archive list --files /var/lib/shop/archive --status DEAD",
    })
final class ArchiveListCommand extends DatabaseCommand {

  @Mixin private ArchivePlace place;

  @ArgGroup(validate = false, order = 10, heading = "%nWhich events:%n")
  private FilterOptions which = new FilterOptions();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "How many events at most, up to 1000. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = "--after",
      paramLabel = "CURSOR",
      description = "Continue after the last page, with the value it printed.")
  private String after;

  @Override
  protected int run(OutboxSession session, Output output) {
    if (limit < 1 || limit > 1000) {
      throw wrong("--limit must be between 1 and 1000, not " + limit);
    }
    EventPage page = place.open(session).search(which.filter(session), after, limit);
    if (output.isJson()) {
      output.json(json(page));
    } else {
      if (!page.events().isEmpty()) {
        output.table(EventTable.of(page.events()));
      }
      output.note(end(page));
    }
    return page.events().isEmpty() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  private static String end(EventPage page) {
    String found =
        (page.events().isEmpty() ? "No event" : Words.events(page.events().size()))
            + (page.scanLimited()
                ? " among the " + Words.number(page.scanned()) + " archived events looked at"
                : "");
    if (page.next() == null) {
      return found + (page.events().isEmpty() ? " matches." : ", no more.");
    }
    return found + "; for more, repeat it with --after " + page.next();
  }

  private static JsonObject json(EventPage page) {
    JsonObject json = new JsonObject();
    json.add("events", EventJson.array(page.events(), EventJson::of));
    json.addProperty("next", page.next());
    json.addProperty("scanned", page.scanned());
    json.addProperty("scanLimited", page.scanLimited());
    return json;
  }
}
