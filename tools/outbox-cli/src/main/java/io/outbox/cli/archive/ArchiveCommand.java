package io.outbox.cli.archive;

import io.outbox.cli.command.OutboxCommand;
import picocli.CommandLine.Command;

@Command(
    name = "archive",
    header = "List, show or replay archived events.",
    description = {
      "A purger that archives moves finished events to the table …_archive, or to files. The",
      "commands read the table, or with --files the files.",
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ArchiveListCommand.class,
      ArchiveShowCommand.class,
      ArchiveReplayCommand.class,
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox archive list --type OrderPlaced --from 2026-03-01 --until 2026-03-02",
      "  outbox archive show 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T",
      "  outbox archive replay --key order-17 --files /var/lib/shop/archive --dry-run",
    })
public final class ArchiveCommand extends OutboxCommand {

  @Override
  public Integer call() {
    throw wrong("name a command: list, show or replay");
  }
}
