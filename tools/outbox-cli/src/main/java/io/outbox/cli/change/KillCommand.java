package io.outbox.cli.change;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "kill",
    header = "Make pending events DEAD, with a reason.",
    description = {
      "They are not delivered any more. An event in delivery at that moment may still arrive.",
      "",
      "With a filter it shows how many events match, and some of them, and asks before it changes",
      "them. It works in batches; Ctrl-C stops it between two batches.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox kill 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T --reason \"sent by hand\"",
      "  outbox kill --type OldEvent --reason \"nobody listens any more\" --dry-run",
    })
public final class KillCommand extends ActionCommand {

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why; kept as the event's error.")
  private String reason;

  @Override
  OperatorAction action(OutboxSession session) {
    return new OperatorAction.Kill(reason);
  }

  @Override
  Set<EventStatus> usualStatuses() {
    return Set.of(EventStatus.NEW, EventStatus.RETRY);
  }
}
