package io.outbox.cli.move;

import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.OutboxCommand;
import io.outbox.cli.move.mapping.Mappings;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "mapping",
    header = "Print a mapping, to start your own.",
    footerHeading = "%nExamples:%n",
    footer = "  outbox import mapping namastack > mine.yaml")
final class ImportMappingCommand extends OutboxCommand {

  @Parameters(paramLabel = "NAME", description = "One of: namastack, modulith, debezium.")
  private String name;

  @Override
  public Integer call() {
    output(false).verbatim(Mappings.text(name).getBytes(StandardCharsets.UTF_8));
    return ExitCode.OK;
  }
}
