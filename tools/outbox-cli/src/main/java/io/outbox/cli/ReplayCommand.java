package io.outbox.cli;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import java.util.Set;
import picocli.CommandLine.Command;

@Command(
    name = "replay",
    header = "Give DEAD or DONE events a new life.",
    description = {
      "They become NEW, without attempts, and are delivered again at once. With a filter that names no",
      "status DEAD events are meant.",
      "",
      "With a filter it shows how many events that are, and some of them, and asks before it does",
      "anything. It goes on in batches; Ctrl-C stops it between two of them.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox replay 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T",
      "  outbox replay --error \"connection refused\" --from 3h",
      "  outbox replay --type OrderPlaced --status DONE --from 2026-03-01 --until 2026-03-02 --yes",
    })
final class ReplayCommand extends ActionCommand {

  @Override
  OperatorAction action(OutboxSession session) {
    return new OperatorAction.Replay();
  }

  @Override
  Set<EventStatus> usualStatuses() {
    return Set.of(EventStatus.DEAD);
  }
}
