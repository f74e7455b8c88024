package io.outbox.cli.subscription;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "resume",
    header = "Resume an ended subscription.",
    description = "It gets the events that are delivered from now on. For older ones see deliver.",
    footerHeading = "%nExamples:%n",
    footer = "  outbox subscriptions resume send-mail --aggregate-type Order --type OrderPlaced")
final class SubscriptionsResumeCommand extends DatabaseCommand {

  @Mixin private ChosenSubscription chosen;

  @Override
  protected int run(OutboxSession session, Output output) {
    boolean resumed = chosen.in(session).resume(chosen.route(), chosen.name());
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", "resume");
      json.addProperty("changed", resumed ? 1 : 0);
      output.json(json);
    } else {
      output.line("resume: " + chosen.name() + (resumed ? " is resumed" : " was not ended"));
    }
    return resumed ? ExitCode.OK : ExitCode.NOTHING_MATCHED;
  }
}
