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

  @Option(names = "--ordered-by-key", description = "Also the tables of Outbox.orderedByKey().")
  private boolean orderedByKey;

  @Option(
      names = "--operator-indexes",
      description =
          "Also indexes that only an operator's searches use; writers pay a little for them.")
  private boolean operatorIndexes;

  @Option(names = "--archive", description = "Also the table for archived events.")
  private boolean archive;

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
      OutboxSchema.createMembers(dataSource, table);
      OutboxSchema.createOperator(dataSource, table);
      OutboxSchema.createSubscriptions(dataSource, table);
      OutboxSchema.createHolds(dataSource, table);
    }
    if (orderedByKey) {
      OutboxSchema.createOrderedByKey(dataSource, table);
    }
    if (operatorIndexes) {
      OutboxSchema.createOperatorIndexes(dataSource, table);
    }
    if (archive) {
      OutboxSchema.createArchive(dataSource, table);
    }
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
