package io.outbox.cli.archive;

import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.model.OutboxEvent;
import io.outbox.util.Printable;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    header = "Show one archived event as JSON, with its payload.",
    description = "In files, it may have to read all of them.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox archive show 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T",
      "  outbox archive show 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T | jq -r .payload",
    })
final class ArchiveShowCommand extends DatabaseCommand {

  @Parameters(paramLabel = "ID", description = "The event's id.")
  private String id;

  @Mixin private ArchivePlace place;

  @Override
  protected int run(OutboxSession session, Output output) {
    Optional<OutboxEvent> found = place.open(session).find(id);
    if (found.isEmpty()) {
      output.note("There is no event " + Printable.line(id) + " in the archive.");
      return ExitCode.NOTHING_MATCHED;
    }
    output.json(EventJson.whole(found.get()));
    return ExitCode.OK;
  }
}
