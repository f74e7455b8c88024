package io.outbox.cli;

import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.OutboxCommand;
import io.outbox.samples.demo.Demo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "demo",
    header = "See it work: a story on the terminal, or the web console with live data.",
    description = "It runs on an H2 in memory, and needs no database.",
    footerHeading = "%nExamples:%n",
    footer = {"  outbox demo", "  outbox demo --console", "  outbox demo --console --port 8085"})
final class DemoCommand extends OutboxCommand {

  @Option(names = "--console", description = "Serve the web console of a shop until Ctrl-C.")
  private boolean console;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Where the console listens. Default: any free port.")
  private Integer port;

  @Override
  public Integer call() {
    if (port != null && (!console || port < 0 || port > 65_535)) {
      throw wrong("--port is for --console, and from 0 to 65535");
    }
    System.setProperty("outbox.color", String.valueOf(context().wantsColor()));
    if (console) {
      Demo.main(new String[] {"--console", "--port", String.valueOf(port == null ? 0 : port)});
    } else {
      Demo.main(new String[0]);
    }
    return ExitCode.OK;
  }
}
