package io.outbox.cli.change;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.StatusView;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.OutboxOperator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "resume",
    header = "End a pause.",
    description = {
      "Ends the pause of exactly these. Other pauses may still halt some of the events;",
      "it lists them.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox resume --type OrderPlaced",
      "  outbox resume --all",
    })
public final class ResumeCommand extends DatabaseCommand {

  @Mixin private PausedTypes types;

  @Option(names = "--all", description = "End all pauses.")
  private boolean all;

  @Mixin private ActorOption actor;

  @Override
  protected int run(OutboxSession session, Output output) {
    if (all != types.isEmpty() || types.isAmbiguous()) {
      throw wrong(
          "what to resume? Name --type, --aggregate-type or both, or --tenant, or --destination, or"
              + " --all");
    }
    OutboxOperator operator = actor.applyTo(session.operator());
    int ended = resume(operator);
    List<DeliveryPause> left = operator.pauses();
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", "resume");
      json.addProperty("changed", ended);
      json.add("pauses", EventJson.array(left, EventJson::of));
      output.json(json);
    } else {
      output.line("resume: " + ended + (ended == 1 ? " pause" : " pauses") + " ended");
      if (!left.isEmpty()) {
        output.line("");
        output.line("Still paused:");
        output.table(StatusView.pauseTable(left));
      }
    }
    return ended == 0 ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  private int resume(OutboxOperator operator) {
    if (!all) {
      return types.end(operator) ? 1 : 0;
    }
    return (int)
        operator.pauses().stream().filter(pause -> PausedTypes.end(operator, pause)).count();
  }
}
