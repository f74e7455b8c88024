package io.outbox.cli.change;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import java.util.Set;
import picocli.CommandLine.Command;

@Command(
    name = "purge",
    header = "Delete finished events.",
    description = {
      "A filter without a status means DONE events; for DEAD events say --status DEAD.",
      "",
      "With a filter it shows how many events match, and some of them, and asks before it changes",
      "them. It works in batches; Ctrl-C stops it between two batches.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox purge --until 30d --dry-run",
      "  outbox purge --until 30d --yes",
      "  outbox purge --status DEAD --error \"no such customer\"",
    })
public final class PurgeCommand extends ActionCommand {

  @Override
  OperatorAction action(OutboxSession session) {
    return new OperatorAction.Purge();
  }

  @Override
  Set<EventStatus> usualStatuses() {
    return Set.of(EventStatus.DONE);
  }
}
