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
import io.outbox.spi.lanes.KeyBlock;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "blocked",
    header = "Show keys that wait behind a DEAD event, the oldest first.",
    description = "Keys are blocked only with Outbox.orderedByKey() and blockAfterDead.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox blocked",
      "  outbox replay 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T                   # try its event again",
      "  outbox skip 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T --reason \"not needed\"   # or continue without it",
    })
public final class BlockedCommand extends DatabaseCommand {

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "How many keys at most, up to 1000. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  protected int run(OutboxSession session, Output output) {
    if (limit < 1 || limit > 1000) {
      throw wrong("--limit must be between 1 and 1000, not " + limit);
    }
    List<KeyBlock> blocks = session.operator().blockedKeys(limit);
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.add("keys", EventJson.array(blocks, BlockedCommand::json));
      output.json(json);
    } else if (blocks.isEmpty()) {
      output.note("No key is blocked.");
    } else {
      TextTable table =
          new TextTable(
              Column.text("KEY"),
              Column.fixed("DEAD EVENT"),
              Column.fixed("SINCE"),
              Column.text("REASON"));
      blocks.forEach(
          block ->
              table.row(
                  block.key().name(), block.eventId(), Words.time(block.since()), block.reason()));
      output.table(table);
    }
    return blocks.isEmpty() ? ExitCode.NOTHING_MATCHED : ExitCode.OK;
  }

  private static JsonObject json(KeyBlock block) {
    JsonObject json = new JsonObject();
    json.addProperty("key", block.key().name());
    json.addProperty("event", block.eventId());
    json.add("since", EventJson.time(block.since()));
    json.addProperty("reason", block.reason());
    return json;
  }
}
