package io.outbox.cli;

import io.outbox.cli.output.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all commands have. */
abstract class OutboxCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Option(names = "--stack-trace", description = "Show the stack trace of a failure.")
  private boolean stackTrace;

  final CommandLine commandLine() {
    return spec.commandLine();
  }

  final Surroundings surroundings() {
    return ((OutboxCli) spec.root().userObject()).surroundings();
  }

  final boolean wantsStackTrace() {
    return stackTrace;
  }

  final Output output(boolean json) {
    return new Output(
        surroundings().out(),
        surroundings().err(),
        surroundings().terminal(),
        surroundings().wantsColour(),
        json);
  }

  /** Called wrongly. */
  final ParameterException wrong(String message) {
    return new ParameterException(commandLine(), message);
  }
}
