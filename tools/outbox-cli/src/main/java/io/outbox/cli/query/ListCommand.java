package io.outbox.cli.query;

import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.EventTable;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.FilterOptions;
import io.outbox.cli.command.PageOptions;
import io.outbox.cli.command.Waits;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.operate.EventPage;
import io.outbox.operate.WaitReasons;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

  @Mixin private PageOptions paging;

  @Override
  protected int run(OutboxSession session, Output output) {
    EventPage page =
        session.operator().search(which.filter(session), paging.after(), paging.limit());
    WaitReasons reasons = session.operator().waitReasons(page.events());
    if (output.isJson()) {
      output.json(
          PageOptions.json(
              page, EventJson.array(page.events(), event -> Waits.json(event, reasons))));
    } else {
      if (!page.events().isEmpty()) {
        output.table(EventTable.of(page.events(), event -> Waits.obstacle(event, reasons)));
      }
      output.note(PageOptions.end(page, "rows"));
    }
    return page.events().isEmpty() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }
}
