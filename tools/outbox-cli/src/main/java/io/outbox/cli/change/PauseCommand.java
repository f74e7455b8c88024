package io.outbox.cli.change;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "pause",
    header = "Halt delivery on all nodes, also after restarts.",
    description = {
      "Within seconds, no node starts to deliver these events until you resume them. Running",
      "deliveries finish. Paused events wait in the table; all others continue. Events of a tenant",
      "or destination go on within minutes after resume, all others within seconds.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox pause --type OrderPlaced --reason \"mail server is being replaced\"",
      "  outbox pause --aggregate-type Order",
      "  outbox pause --tenant acme",
      "  outbox pause --destination 'topic orders'",
      "  outbox pause --all --reason \"database maintenance\"",
      "  outbox status",
    })
public final class PauseCommand extends DatabaseCommand {

  @Mixin private PausedTypes types;

  @Option(names = "--all", description = "All events.")
  private boolean all;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why; shown by status.")
  private String reason;

  @Mixin private ActorOption actor;

  @Override
  protected int run(OutboxSession session, Output output) {
    if (all != types.isEmpty() || types.isAmbiguous()) {
      throw wrong(
          "what to pause? Name --type, --aggregate-type or both, or --tenant, or --destination, or"
              + " --all");
    }
    boolean changed = types.begin(actor.applyTo(session.operator()), reason);
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", "pause");
      json.addProperty("changed", changed ? 1 : 0);
      output.json(json);
    } else {
      output.line(changed ? "pause: in force" : "pause: these were paused already");
    }
    return ExitCode.OK;
  }
}
