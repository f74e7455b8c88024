package io.outbox.cli.subscription;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "end",
    header = "End a subscription.",
    description = {
      "New events get no copy for it, and its pending copies become DEAD. Do this when its listener",
      "is gone from the code. It stays ended, whichever node starts, until you resume it.",
    },
    footerHeading = "%nExamples:%n",
    footer =
        "  outbox subscriptions end send-mail --aggregate-type Order --type OrderPlaced --reason"
            + " moved")
final class SubscriptionsEndCommand extends DatabaseCommand {

  @Mixin private ChosenSubscription chosen;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept with the copies.")
  private String reason;

  @Override
  protected int run(OutboxSession session, Output output) {
    long dead = chosen.in(session).end(chosen.route(), chosen.name(), reason);
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", "end");
      json.addProperty("changed", dead);
      output.json(json);
    } else {
      output.line("end: " + chosen.name() + " is ended, " + dead + " pending copies became DEAD");
    }
    return ExitCode.OK;
  }
}
