package io.outbox.cli;

import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.OutboxCommand;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "completion",
    header = "Print a script that completes commands and options in a shell.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(outbox completion bash)",
      "  outbox completion bash > /etc/bash_completion.d/outbox",
      "  outbox completion zsh > ~/.outbox-completion && echo 'source ~/.outbox-completion' >> ~/.zshrc",
    })
final class CompletionCommand extends OutboxCommand {

  enum Shell {
    bash,
    zsh
  }

  @Parameters(paramLabel = "SHELL", description = "One of: ${COMPLETION-CANDIDATES}.")
  private Shell shell;

  /** The script of picocli serves both: zsh understands it through one of its modules. */
  @Override
  public Integer call() {
    String script = AutoComplete.bash("outbox", OutboxCli.commandLine(context()));
    output(false).line(script.stripTrailing());
    return ExitCode.OK;
  }
}
