package io.outbox.cli;

import io.outbox.cli.command.OutboxCommand;
import io.outbox.relay.Relay;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "relay",
    header = "Publish the events of outbox tables to brokers, until SIGTERM or Ctrl-C.",
    description =
        "For tables of any application, in any language. A file says which tables, and where their"
            + " events go. The relay drains before it ends.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox relay --config relay.yaml --dry-run   # check it, and see what would go where",
      "  outbox relay --config relay.yaml",
    })
final class RelayCommand extends OutboxCommand {

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "Tables, brokers and rules; see docs/relay.md.")
  private Path config;

  @Option(names = "--dry-run", description = "Show what would be published where; change nothing.")
  private boolean dryRun;

  @Override
  public Integer call() {
    PrintWriter out = new PrintWriter(context().out(), true, StandardCharsets.UTF_8);
    return Relay.run(config, dryRun, out);
  }
}
