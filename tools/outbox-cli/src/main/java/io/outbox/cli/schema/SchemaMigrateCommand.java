package io.outbox.cli.schema;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "migrate",
    header = "Bring an older table up to date.",
    description =
        "Adds missing columns, constraints, indexes and tables, and keeps the rows. Writers go on,"
            + " except with a table of the time before 0.1.0, which is locked and rewritten. The"
            + " command shows what it would do, and asks.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox schema migrate --dry-run",
      "  outbox schema migrate --yes",
    })
final class SchemaMigrateCommand extends DatabaseCommand {

  @Option(names = "--dry-run", description = "Only show what would be changed.")
  private boolean dryRun;

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask for confirmation; for scripts.")
  private boolean yes;

  @Override
  protected boolean needsTable() {
    return false;
  }

  @Override
  protected int run(OutboxSession session, Output output) {
    if (!dryRun && !yes) {
      requireTerminal(output);
    }
    String table = session.table();
    List<String> problems = new ArrayList<>(OutboxSchema.problems(session.dataSource(), table));
    if (session.hasTable()) {
      for (Addition addition : Addition.MIGRATED) {
        problems.addAll(OutboxSchema.problems(session.dataSource(), table, addition));
      }
    }
    if (!output.isJson()) {
      output.line(
          problems.isEmpty() ? table + " is as it should be" : "To be corrected in " + table + ":");
      problems.forEach(problem -> output.line("  " + problem));
    }
    boolean migrate = !dryRun && !problems.isEmpty();
    if (migrate && !yes && !output.terminal().confirms("Migrate now?")) {
      output.note("Nothing was changed.");
      return ExitCode.FAILED;
    }
    if (migrate) {
      OutboxSchema.migrate(session.dataSource(), table);
    }
    report(table, problems, migrate, output);
    return ExitCode.OK;
  }

  private static void report(String table, List<String> problems, boolean migrated, Output output) {
    if (output.isJson()) {
      JsonObject json = new JsonObject();
      json.addProperty("table", table);
      json.addProperty("migrated", migrated);
      JsonArray list = new JsonArray();
      problems.forEach(list::add);
      json.add("problems", list);
      output.json(json);
    } else if (migrated) {
      output.line(table + " is migrated");
    }
  }
}
