package io.outbox.cli.change;

import io.outbox.cli.command.TimePoint;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "reschedule",
    header = "Deliver pending events at another time.",
    description = {
      "It changes only events that no node has leased.",
      "",
      "With a filter it shows how many events match, and some of them, and asks before it changes",
      "them. It works in batches; Ctrl-C stops it between two batches.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox reschedule --status RETRY --at now",
      "  outbox reschedule --type Newsletter --in 2h",
      "  outbox reschedule 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T --at 2026-03-01T12:30:00Z",
    })
public final class RescheduleCommand extends ActionCommand {

  @Option(
      names = "--at",
      paramLabel = "TIME",
      description = "When: now, or a time such as 2026-03-01T12:30:00Z.")
  private TimePoint at;

  @Option(names = "--in", paramLabel = "TIME", description = "When from now, such as 15m or 2h.")
  private Duration in;

  @Override
  OperatorAction action(OutboxSession session) {
    if ((at == null) == (in == null)) {
      throw wrong("when? Say either --at or --in");
    }
    Instant now = session.now();
    return new OperatorAction.Reschedule(at == null ? now.plus(in) : at.at(now));
  }

  @Override
  Set<EventStatus> usualStatuses() {
    return Set.of(EventStatus.NEW, EventStatus.RETRY);
  }
}
