package io.outbox.cli.schema;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Style;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "validate",
    header = "Check the tables.",
    description =
        "Columns, constraints and indexes; exit code 4 if something is missing. For more than the"
            + " schema, see doctor.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox schema validate",
      "  outbox schema validate --operator --ordered-by-key --operator-indexes",
    })
final class SchemaValidateCommand extends DatabaseCommand {

  @Option(names = "--operator", description = "Also the tables for pauses and audit.")
  private boolean operator;

  @Mixin private AdditionOptions additions;

  @Option(names = "--subscriptions", description = "Also the table of subscriptions.")
  private boolean subscriptions;

  @Override
  protected boolean needsTable() {
    return false;
  }

  @Override
  protected int run(OutboxSession session, Output output) {
    DataSource dataSource = session.dataSource();
    String table = session.table();
    boolean hasTable = session.hasTable();
    List<String> shape = new ArrayList<>(OutboxSchema.problems(dataSource, table));
    if (hasTable) {
      shape.addAll(OutboxSchema.problems(dataSource, table, Addition.WAITING));
    }
    List<String> missing = hasTable ? missingAdditions(dataSource, table) : List.of();
    List<String> problems = Stream.concat(shape.stream(), missing.stream()).toList();
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("table", table);
      json.addProperty("valid", problems.isEmpty());
      JsonArray list = new JsonArray();
      problems.forEach(list::add);
      json.add("problems", list);
      output.json(json);
    } else if (problems.isEmpty()) {
      output.line(table + " is as it should be");
    } else {
      output.line(table + " is not as it should be:");
      problems.forEach(problem -> output.line(Style.RED, "  " + problem));
      output.note("To do: " + String.join(", then: ", commands(hasTable, shape, missing)));
    }
    return problems.isEmpty() ? ExitCode.OK : ExitCode.PROBLEMS_FOUND;
  }

  private List<String> missingAdditions(DataSource dataSource, String table) {
    List<String> missing =
        new ArrayList<>(OutboxSchema.problems(dataSource, table, Addition.MEMBERS));
    if (subscriptions) {
      missing.addAll(OutboxSchema.problems(dataSource, table, Addition.SUBSCRIPTIONS));
    }
    if (operator) {
      missing.addAll(OutboxSchema.problems(dataSource, table, Addition.OPERATOR));
      missing.addAll(OutboxSchema.problems(dataSource, table, Addition.HOLDS));
    }
    for (Addition addition : additions.wanted()) {
      missing.addAll(OutboxSchema.problems(dataSource, table, addition));
    }
    return missing;
  }

  private List<String> commands(boolean hasTable, List<String> shape, List<String> missing) {
    List<String> commands = new ArrayList<>();
    if (hasTable && !shape.isEmpty()) {
      commands.add("outbox schema migrate");
    }
    if (!hasTable || !missing.isEmpty()) {
      commands.add("outbox schema create" + additions.asOptions());
    }
    return commands;
  }
}
