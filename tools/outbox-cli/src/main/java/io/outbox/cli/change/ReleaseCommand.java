package io.outbox.cli.change;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import java.util.Set;
import picocli.CommandLine.Command;

@Command(
    name = "release",
    header = "Take pending events from the node that has leased them.",
    description = {
      "For leases of a dead node, without waiting until they expire. If the node is alive",
      "after all, these events may be delivered twice.",
      "",
      "With a filter it shows how many events match, and some of them, and asks before it changes",
      "them. It works in batches; Ctrl-C stops it between two batches.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox release --stuck",
      "  outbox release --leased-before 30m --type OrderPlaced",
      "  outbox release 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T",
    })
public final class ReleaseCommand extends ActionCommand {

  @Override
  OperatorAction action(OutboxSession session) {
    return new OperatorAction.Release();
  }

  @Override
  Set<EventStatus> usualStatuses() {
    return Set.of(EventStatus.NEW, EventStatus.RETRY);
  }
}
