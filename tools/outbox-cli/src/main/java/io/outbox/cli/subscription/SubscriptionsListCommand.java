package io.outbox.cli.subscription;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.TextTable;
import io.outbox.cli.output.TextTable.Column;
import io.outbox.cli.output.Words;
import io.outbox.subscription.Subscription;
import io.outbox.subscription.SubscriptionState;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "list",
    header = "Show all subscriptions, ended ones included.",
    description = {
      "With the number of copies that wait or are DEAD, and the lag of the oldest one. 12+ means 12",
      "or more: it looks at 10,000 events of each kind.",
    },
    footerHeading = "%nExamples:%n",
    footer = "  outbox subscriptions list --json")
final class SubscriptionsListCommand extends DatabaseCommand {

  @Override
  protected int run(OutboxSession session, Output output) {
    List<SubscriptionState> all = ChosenSubscription.subscriptions(session).states();
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.add("subscriptions", EventJson.array(all, SubscriptionsListCommand::json));
      output.json(json);
    } else if (all.isEmpty()) {
      output.note("There are no subscriptions.");
    } else {
      output.table(table(all));
    }
    return all.isEmpty() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  private static TextTable table(List<SubscriptionState> all) {
    TextTable table =
        new TextTable(
            Column.text("EVENTS"),
            Column.text("SUBSCRIPTION"),
            Column.text("COPIES"),
            Column.number("WAITING"),
            Column.number("DEAD"),
            Column.number("LAG"),
            Column.fixed("SINCE"),
            Column.fixed("ENDED"));
    for (SubscriptionState state : all) {
      Subscription one = state.subscription();
      table.row(
          one.route().toString(),
          one.name(),
          one.copyType(),
          Words.count(state.waiting()),
          Words.count(state.dead()),
          state.lag().isZero() ? "" : Words.duration(state.lag()),
          Words.time(one.since()),
          one.until() == null ? "" : Words.time(one.until()));
    }
    return table;
  }

  private static JsonObject json(SubscriptionState state) {
    Subscription one = state.subscription();
    JsonObject json = new JsonObject();
    json.addProperty("aggregateType", one.route().aggregateType());
    json.addProperty("type", one.route().eventType());
    json.addProperty("name", one.name());
    json.addProperty("copies", one.copyType());
    json.add("since", EventJson.time(one.since()));
    json.add("until", EventJson.time(one.until()));
    json.add("waiting", EventJson.of(state.waiting()));
    json.add("retrying", EventJson.of(state.retrying()));
    json.add("dead", EventJson.of(state.dead()));
    json.addProperty("lagSeconds", state.lag().toMillis() / 1000.0);
    return json;
  }
}
