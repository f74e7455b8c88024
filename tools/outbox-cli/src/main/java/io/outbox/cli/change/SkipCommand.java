package io.outbox.cli.change;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.util.Printable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "skip",
    header = "Let a key continue past the event that blocks it.",
    description = {
      "Makes the event DEAD if it is pending, and lifts the block of its key. The",
      "event stays in the table; you can replay it later, out of order.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox blocked",
      "  outbox skip 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T --reason \"order was canceled\"",
    })
public final class SkipCommand extends DatabaseCommand {

  @Parameters(paramLabel = "ID", description = "The event that blocks its key.")
  private String id;

  @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why.")
  private String reason;

  @Mixin private ActorOption actor;

  @Override
  protected int run(OutboxSession session, Output output) {
    boolean skipped = actor.applyTo(session.operator()).skip(id, reason);
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("action", "skip");
      json.addProperty("changed", skipped ? 1 : 0);
      output.json(json);
    } else if (skipped) {
      output.line("skip: its key continues");
    } else {
      output.note("Event " + Printable.line(id) + " is not pending and blocks no key.");
    }
    return skipped ? ExitCode.OK : ExitCode.NOTHING_MATCHED;
  }
}
