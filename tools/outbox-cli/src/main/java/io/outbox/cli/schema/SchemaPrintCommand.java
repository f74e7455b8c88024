package io.outbox.cli.schema;

import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.OutboxCommand;
import io.outbox.cli.connect.ConnectionOptions;
import io.outbox.cli.connect.JdbcUrl;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.partition.PartitionRotation;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "print",
    header = "Print the DDL, for your own migrations.",
    description =
        "The outbox table, the list of nodes, the tables for an operator's pauses and audit, and the"
            + " table of subscriptions. It does not connect: --database or the URL names the"
            + " database.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox schema print --database postgresql",
      "  outbox schema print --database mariadb --table shop_outbox --ordered-by-key",
      "  outbox schema print --database postgresql --operator-indexes --additions-only",
    })
final class SchemaPrintCommand extends OutboxCommand {

  @ArgGroup(validate = false, order = 90, heading = "%nConnection:%n")
  private ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--database",
      paramLabel = "NAME",
      description = "For h2, postgresql, mysql or mariadb.")
  private String database;

  @Mixin private AdditionOptions additions;

  @Option(
      names = "--partitioned",
      description = "On PostgreSQL: a table in daily partitions, for change data capture.")
  private boolean partitioned;

  @Option(
      names = "--rotated",
      description = "On PostgreSQL: a table in partitions by seq, for delivery.")
  private boolean rotated;

  @Option(names = "--additions-only", description = "Without the outbox table itself.")
  private boolean additionsOnly;

  @Override
  public Integer call() {
    String product = product();
    String table = connection.table(context().environment());
    List<String> parts = new ArrayList<>();
    if (!additionsOnly) {
      parts.add(tableDdl(product, table));
    }
    if (!partitioned) {
      if (!rotated) {
        parts.add(OutboxSchema.ddl(product, table, Addition.WAITING));
      }
      AdditionOptions.TABLES.forEach(
          addition -> parts.add(OutboxSchema.ddl(product, table, addition)));
    }
    for (Addition addition : additions.wanted()) {
      parts.add(OutboxSchema.ddl(product, table, addition));
    }
    output(false).line(String.join("\n", parts).stripTrailing());
    return ExitCode.OK;
  }

  private String tableDdl(String product, String table) {
    if (rotated) {
      return PartitionRotation.ddl(table);
    }
    return partitioned ? OutboxSchema.partitionedDdl(table) : OutboxSchema.ddl(product, table);
  }

  private String product() {
    if (database != null) {
      return database;
    }
    JdbcUrl url = connection.url(commandLine(), context().environment());
    if (url == null || url.scheme().isEmpty()) {
      throw wrong("for which database? Say --database h2, postgresql, mysql or mariadb, or --url");
    }
    return url.scheme();
  }
}
