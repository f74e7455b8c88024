package io.outbox.cli;

import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.OutboxCommand;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "bench",
    header = "Measure delivery; only in a clone of the repository.",
    description =
        "The benchmarks start their own servers and are not part of this jar. In a clone of the"
            + " repository ./outbox bench runs them.",
    footerHeading = "%nExamples:%n",
    footer = {"  ./outbox bench --quick", "  ./outbox bench --help"})
final class BenchCommand extends OutboxCommand {

  @Parameters(hidden = true, arity = "0..*")
  private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() {
    output(false)
        .note(
            "The benchmarks are not in this jar: run ./outbox bench in a clone of the repository.");
    return ExitCode.FAILED;
  }
}
