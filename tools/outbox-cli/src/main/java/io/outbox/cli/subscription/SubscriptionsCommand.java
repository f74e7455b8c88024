package io.outbox.cli.subscription;

import io.outbox.cli.command.OutboxCommand;
import picocli.CommandLine.Command;

@Command(
    name = "subscriptions",
    header = "Show, end or resume subscriptions, or give them older events.",
    description = {
      "Each subscription gets a copy of every event, with the aggregate type TYPE@@NAME. Use that",
      "with list, replay, kill and pause.",
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      SubscriptionsListCommand.class,
      SubscriptionsEndCommand.class,
      SubscriptionsResumeCommand.class,
      SubscriptionsDeliverCommand.class,
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox subscriptions list",
      "  outbox list --status DEAD --aggregate-type Order@@send-mail",
      "  outbox pause --aggregate-type Order@@send-mail",
    })
public final class SubscriptionsCommand extends OutboxCommand {

  @Override
  public Integer call() {
    throw wrong("name a command: list, end, resume or deliver");
  }
}
