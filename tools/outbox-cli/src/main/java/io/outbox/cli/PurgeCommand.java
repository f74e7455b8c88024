package io.outbox.cli;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import java.util.Set;
import picocli.CommandLine.Command;

@Command(
    name = "purge",
    header = "Delete finished events for good.",
    description = {
      "With a filter that names no status DONE events are meant; for DEAD ones say --status DEAD.",
      "",
      "With a filter it shows how many events that are, and some of them, and asks before it does",
      "anything. It goes on in batches; Ctrl-C stops it between two of them.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox purge --until 30d --dry-run",
      "  outbox purge --until 30d --yes",
      "  outbox purge --status DEAD --error \"no such customer\"",
    })
final class PurgeCommand extends ActionCommand {

  @Override
  OperatorAction action(OutboxSession session) {
    return new OperatorAction.Purge();
  }

  @Override
  Set<EventStatus> usualStatuses() {
    return Set.of(EventStatus.DONE);
  }
}
