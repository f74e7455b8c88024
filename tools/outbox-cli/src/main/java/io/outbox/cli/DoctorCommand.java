package io.outbox.cli;

import com.google.gson.JsonObject;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.doctor.Doctor;
import io.outbox.cli.doctor.Examination;
import io.outbox.cli.doctor.Finding;
import io.outbox.cli.doctor.Finding.Level;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Style;
import io.outbox.cli.output.Words;
import io.outbox.util.Printable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "doctor",
    header = "Check the table and its database, and say what to do.",
    description = {
      "Columns and indexes, the plan of a claim, isolation, time zone and clock, vacuum and purge,",
      "old transactions, stuck leases, blocked keys, pauses. It only reads.",
      "",
      "Exit code 4 if there is a problem; with --strict, a warning is enough.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox doctor",
      "  outbox doctor --retention 30d --strict",
      "  outbox doctor --json | jq '.findings[] | select(.level != \"OK\")'",
    })
final class DoctorCommand extends DatabaseCommand {

  @Option(
      names = "--retention",
      paramLabel = "TIME",
      defaultValue = "7d",
      description = "How long finished events are to be kept. Default: ${DEFAULT-VALUE}.")
  private Duration retention;

  @Option(
      names = "--transaction-age",
      paramLabel = "TIME",
      defaultValue = "5m",
      description = "How long a transaction may be open. Default: ${DEFAULT-VALUE}.")
  private Duration transactionAge;

  @Option(names = "--strict", description = "Treat warnings as problems.")
  private boolean strict;

  @Override
  protected boolean needsTable() {
    return false;
  }

  @Override
  protected int run(OutboxSession session, Output output) {
    List<Finding> findings;
    try {
      findings = Doctor.examine(new Examination(session, retention, transactionAge));
    } catch (SQLException e) {
      throw new IllegalStateException("the database cannot be examined: " + e.getMessage(), e);
    }
    if (output.isJson()) {
      output.json(json(findings));
    } else {
      findings.forEach(finding -> print(finding, output));
      output.line("");
      output.line(
          String.join(
              ", ",
              Words.counted(findings.size(), "finding"),
              Words.counted(count(findings, Level.WARNING), "warning"),
              Words.counted(count(findings, Level.PROBLEM), "problem")));
    }
    boolean bad =
        count(findings, Level.PROBLEM) > 0 || (strict && count(findings, Level.WARNING) > 0);
    return bad ? ExitCode.PROBLEMS_FOUND : ExitCode.OK;
  }

  private static long count(List<Finding> findings, Level level) {
    return findings.stream().filter(finding -> finding.level() == level).count();
  }

  private static void print(Finding finding, Output output) {
    Style style =
        switch (finding.level()) {
          case OK -> Style.GREEN;
          case WARNING -> Style.YELLOW;
          case PROBLEM -> Style.RED;
        };
    output.line(
        output.styled(style, "%-8s".formatted(finding.level()))
            + "%-14s".formatted(finding.check())
            + Printable.line(finding.says()));
    if (finding.means() != null) {
      output.line(" ".repeat(22) + Printable.line(finding.means()));
    }
    if (finding.todo() != null) {
      output.line(
          " ".repeat(22) + output.styled(Style.BOLD, "To do: " + Printable.line(finding.todo())));
    }
  }

  private static JsonObject json(List<Finding> findings) {
    JsonObject json = new JsonObject();
    json.addProperty("problems", count(findings, Level.PROBLEM));
    json.addProperty("warnings", count(findings, Level.WARNING));
    json.add(
        "findings",
        EventJson.array(
            findings,
            finding -> {
              JsonObject one = new JsonObject();
              one.addProperty("level", finding.level().name());
              one.addProperty("check", finding.check());
              one.addProperty("says", finding.says());
              one.addProperty("means", finding.means());
              one.addProperty("todo", finding.todo());
              return one;
            }));
    return json;
  }
}
