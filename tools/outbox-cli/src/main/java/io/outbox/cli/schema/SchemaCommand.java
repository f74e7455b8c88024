package io.outbox.cli.schema;

import io.outbox.cli.command.OutboxCommand;
import picocli.CommandLine.Command;

@Command(
    name = "schema",
    header = "Print, create, check or migrate the tables.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      SchemaPrintCommand.class,
      SchemaCreateCommand.class,
      SchemaValidateCommand.class,
      SchemaMigrateCommand.class,
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox schema print --database postgresql > V1__outbox.sql",
      "  outbox schema create --url jdbc:h2:./shop",
      "  outbox schema validate --ordered-by-key",
    })
public final class SchemaCommand extends OutboxCommand {

  @Override
  public Integer call() {
    throw wrong("name a command: print, create, validate or migrate");
  }
}
