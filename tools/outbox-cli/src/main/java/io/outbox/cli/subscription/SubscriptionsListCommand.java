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
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "list",
    header = "Show all subscriptions, ended ones included.",
    footerHeading = "%nExamples:%n",
    footer = "  outbox subscriptions list --json")
final class SubscriptionsListCommand extends DatabaseCommand {

  @Override
  protected int run(OutboxSession session, Output output) {
    List<Subscription> all = ChosenSubscription.subscriptions(session).list();
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

  private static TextTable table(List<Subscription> all) {
    TextTable table =
        new TextTable(
            Column.text("EVENTS"),
            Column.text("SUBSCRIPTION"),
            Column.text("COPIES"),
            Column.fixed("SINCE"),
            Column.fixed("ENDED"));
    all.forEach(
        one ->
            table.row(
                one.route().toString(),
                one.name(),
                one.copyType(),
                Words.time(one.since()),
                one.until() == null ? "" : Words.time(one.until())));
    return table;
  }

  private static JsonObject json(Subscription one) {
    JsonObject json = new JsonObject();
    json.addProperty("aggregateType", one.route().aggregateType());
    json.addProperty("type", one.route().eventType());
    json.addProperty("name", one.name());
    json.addProperty("copies", one.copyType());
    json.add("since", EventJson.time(one.since()));
    json.add("until", EventJson.time(one.until()));
    return json;
  }
}
