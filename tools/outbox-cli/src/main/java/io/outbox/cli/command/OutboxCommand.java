package io.outbox.cli.command;

import io.outbox.cli.output.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all commands have. */
public abstract class OutboxCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Option(names = "--stack-trace", description = "Show the stack trace of a failure.")
  private boolean stackTrace;

  protected final CommandLine commandLine() {
    return spec.commandLine();
  }

  protected final ProcessContext context() {
    return ((ProcessContext.Owner) spec.root().userObject()).context();
  }

  public final boolean wantsStackTrace() {
    return stackTrace;
  }

  protected final Output output(boolean json) {
    return new Output(
        context().out(), context().err(), context().terminal(), context().wantsColor(), json);
  }

  /** Called wrongly. */
  protected final ParameterException wrong(String message) {
    return new ParameterException(commandLine(), message);
  }

  /** For what changes something only after a confirmation. */
  protected final void requireTerminal(Output output) {
    if (output.isJson() || !output.terminal().canAsk()) {
      throw wrong(
          "cannot ask for confirmation without a terminal: look with --dry-run, then add --yes");
    }
  }
}
