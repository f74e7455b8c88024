package io.outbox.cli.change;

import io.outbox.operate.OutboxOperator;
import picocli.CommandLine.Option;

/** Who acts. */
final class ActorOption {

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description = "The name for the audit. Default: the user of this machine.")
  private String actor;

  OutboxOperator applyTo(OutboxOperator operator) {
    return actor == null ? operator : operator.as(actor);
  }
}
