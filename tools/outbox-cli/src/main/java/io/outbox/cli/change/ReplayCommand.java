package io.outbox.cli.change;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import java.util.Set;
import picocli.CommandLine.Command;

@Command(
    name = "replay",
    header = "Give DEAD or DONE events a new life.",
    description = {
      "They become NEW, without attempts, and are due at once. A filter without a status",
      "means DEAD events.",
      "",
      "With a filter it shows how many events match, and some of them, and asks before it changes",
      "them. It works in batches; Ctrl-C stops it between two batches.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox replay 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T",
      "  outbox replay --error \"connection refused\" --from 3h",
      "  outbox replay --type OrderPlaced --status DONE --from 2026-03-01 --until 2026-03-02 --yes",
    })
public final class ReplayCommand extends ActionCommand {

  @Override
  OperatorAction action(OutboxSession session) {
    return new OperatorAction.Replay();
  }

  @Override
  Set<EventStatus> usualStatuses() {
    return Set.of(EventStatus.DEAD);
  }
}
