package io.outbox.cli;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import java.util.Set;
import picocli.CommandLine.Command;

@Command(
    name = "release",
    header = "Take pending events from the node that has leased them.",
    description = {
      "For leases of a node that is gone, without waiting until they run out. If the node is alive after",
      "all, these events may be delivered twice.",
      "",
      "With a filter it shows how many events that are, and some of them, and asks before it does",
      "anything. It goes on in batches; Ctrl-C stops it between two of them.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox release --stuck",
      "  outbox release --leased-before 30m --type OrderPlaced",
      "  outbox release 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T",
    })
final class ReleaseCommand extends ActionCommand {

  @Override
  OperatorAction action(OutboxSession session) {
    return new OperatorAction.Release();
  }

  @Override
  Set<EventStatus> usualStatuses() {
    return Set.of(EventStatus.NEW, EventStatus.RETRY);
  }
}
