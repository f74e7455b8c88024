package io.outbox.cli.query;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.EventTable;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.FilterOptions;
import io.outbox.cli.command.Waits;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Words;
import io.outbox.operate.EventPage;
import io.outbox.operate.WaitReasons;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "list",
    header = "Show events, the newest first.",
    description = {
      "Events that match all filters, one page at a time. A filter without an index",
      "looks at a limited number of rows, and says so.",
      "",
      "In the column STATUS a * marks events that a node has leased. The column WAITS FOR appears",
      "if events wait for something: a listener that is down, a pause, a blocked key.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox list --status DEAD --error timeout --from 2h",
      "  outbox list --type OrderPlaced --key order-17 --limit 100",
      "  outbox list --stuck",
      "  outbox list --status RETRY,DEAD --json | jq -r '.events[].id'",
    })
public final class ListCommand extends DatabaseCommand {

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
    EventPage page = session.operator().search(which.filter(session), after, limit);
    WaitReasons reasons = session.operator().waitReasons(page.events());
    if (output.isJson()) {
      output.json(json(page, reasons));
    } else {
      if (!page.events().isEmpty()) {
        output.table(EventTable.of(page.events(), event -> Waits.obstacle(event, reasons)));
      }
      output.note(end(page));
    }
    return page.events().isEmpty() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  private static String end(EventPage page) {
    StringBuilder end = new StringBuilder();
    end.append(page.events().isEmpty() ? "No event" : Words.events(page.events().size()));
    if (page.scanLimited()) {
      end.append(" among the ").append(Words.number(page.scanned())).append(" rows looked at");
    }
    if (page.next() == null) {
      return end.append(page.events().isEmpty() ? " matches." : ", no more.").toString();
    }
    return end.append("; for more, repeat it with --after ").append(page.next()).toString();
  }

  private static JsonObject json(EventPage page, WaitReasons reasons) {
    JsonObject json = new JsonObject();
    json.add("events", EventJson.array(page.events(), event -> Waits.json(event, reasons)));
    json.addProperty("next", page.next());
    json.addProperty("scanned", page.scanned());
    json.addProperty("scanLimited", page.scanLimited());
    return json;
  }
}
