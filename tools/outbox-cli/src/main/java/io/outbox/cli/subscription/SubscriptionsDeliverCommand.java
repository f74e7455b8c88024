package io.outbox.cli.subscription;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.TimePoint;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "deliver",
    header = "Give a subscription older events.",
    description = {
      "Delivered events that are still in the table, the oldest first. Events that the subscription",
      "had already are left out: repeat the command if it failed.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox subscriptions deliver webhook --aggregate-type Order --type OrderPlaced --from 7d",
    })
final class SubscriptionsDeliverCommand extends DatabaseCommand {

  @Mixin private ChosenSubscription chosen;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      required = true,
      description = "Events that occurred at this time or later: 2026-03-01, or 2h for hours ago.")
  private String from;

  @Override
  protected int run(OutboxSession session, Output output) {
    long written =
        chosen
            .in(session)
            .deliverFrom(chosen.route(), chosen.name(), TimePoint.parse(from).at(session.now()));
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", "deliver");
      json.addProperty("changed", written);
      output.json(json);
    } else {
      output.line("deliver: " + written + " copies for " + chosen.name());
    }
    return written == 0 ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }
}
