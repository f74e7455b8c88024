package io.outbox.cli.query;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.TextTable;
import io.outbox.cli.output.TextTable.Column;
import io.outbox.cli.output.Words;
import io.outbox.operate.AuditEntry;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "audit",
    header = "Show what operators did, the newest first.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox audit",
      "  outbox audit --before 1200 --limit 100",
      "  outbox audit --json | jq '.entries[] | select(.what == \"purge\")'",
    })
public final class AuditCommand extends DatabaseCommand {

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "How many entries at most, up to 1000. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(names = "--before", paramLabel = "NO", description = "Only those before this number.")
  private Long before;

  @Override
  protected int run(OutboxSession session, Output output) {
    if (limit < 1 || limit > 1000) {
      throw wrong("--limit must be between 1 and 1000, not " + limit);
    }
    List<AuditEntry> entries = session.operator().audit(before, limit);
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.add("entries", EventJson.array(entries, AuditCommand::json));
      output.json(json);
    } else if (entries.isEmpty()) {
      output.note("The audit is empty.");
    } else {
      output.table(table(entries));
    }
    return entries.isEmpty() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  private static TextTable table(List<AuditEntry> entries) {
    TextTable table =
        new TextTable(
            Column.number("NO"),
            Column.fixed("AT"),
            Column.text("WHO"),
            Column.fixed("WHAT"),
            Column.number("EVENTS"),
            Column.text("WHICH"),
            Column.text("DETAIL"));
    entries.forEach(
        entry ->
            table.row(
                entry.id(),
                Words.time(entry.at()),
                entry.who(),
                entry.what() + (entry.finishedAt() == null ? " (unfinished)" : ""),
                Words.number(entry.count()),
                entry.filter(),
                entry.detail()));
    return table;
  }

  private static JsonObject json(AuditEntry entry) {
    JsonObject json = new JsonObject();
    json.addProperty("no", entry.id());
    json.add("at", EventJson.time(entry.at()));
    json.addProperty("who", entry.who());
    json.addProperty("what", entry.what());
    json.addProperty("filter", entry.filter());
    json.addProperty("detail", entry.detail());
    json.addProperty("count", entry.count());
    json.add("finishedAt", EventJson.time(entry.finishedAt()));
    return json;
  }
}
