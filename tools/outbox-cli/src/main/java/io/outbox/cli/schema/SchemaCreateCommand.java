package io.outbox.cli.schema;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.partition.PartitionRotation;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "create",
    header = "Create missing tables.",
    description =
        "The outbox table, the list of nodes, the tables for an operator's pauses and audit, and the"
            + " table of subscriptions. Existing tables stay unchanged; if one is wrong, the command"
            + " fails and says so.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox schema create --url jdbc:postgresql://localhost/shop --user shop --password",
      "  outbox schema create --url jdbc:h2:./shop --user sa",
      "  outbox schema create --ordered-by-key",
    })
final class SchemaCreateCommand extends DatabaseCommand {

  @Mixin private AdditionOptions additions;

  @Option(
      names = "--partitioned",
      description = "On PostgreSQL: a table in daily partitions, for change data capture.")
  private boolean partitioned;

  @Option(
      names = "--rotated",
      description = "On PostgreSQL: a table in partitions by seq, for delivery.")
  private boolean rotated;

  @Override
  protected boolean createsDatabase() {
    return true;
  }

  @Override
  protected boolean needsTable() {
    return false;
  }

  @Override
  protected int run(OutboxSession session, Output output) {
    DataSource dataSource = session.dataSource();
    String table = session.table();
    if (partitioned) {
      OutboxSchema.createPartitioned(dataSource, table);
    } else {
      if (rotated) {
        new PartitionRotation(table).create(dataSource);
      }
      OutboxSchema.create(dataSource, table);
      AdditionOptions.TABLES.forEach(addition -> OutboxSchema.add(dataSource, table, addition));
    }
    additions.wanted().forEach(addition -> OutboxSchema.add(dataSource, table, addition));
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("table", table);
      json.addProperty("created", true);
      output.json(json);
    } else {
      output.line(table + " is there, with all that was asked for");
    }
    return ExitCode.OK;
  }
}
