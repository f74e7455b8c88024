package io.outbox.cli.archive;

import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.EventTable;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.FilterOptions;
import io.outbox.cli.command.PageOptions;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.operate.EventPage;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

  @Mixin private PageOptions paging;

  @Override
  protected int run(OutboxSession session, Output output) {
    EventPage page =
        place.open(session).search(which.filter(session), paging.after(), paging.limit());
    if (output.isJson()) {
      output.json(PageOptions.json(page, EventJson.array(page.events(), EventJson::of)));
    } else {
      if (!page.events().isEmpty()) {
        output.table(EventTable.of(page.events()));
      }
      output.note(PageOptions.end(page, "archived events"));
    }
    return page.events().isEmpty() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }
}
