package io.outbox.cli.doctor;

import io.outbox.jdbc.OutboxSchema;
import java.util.List;

/** Whether the table has its columns, constraints and indexes. */
final class SchemaCheck implements Check {

  private boolean foundTable;

  @Override
  public String name() {
    return "schema";
  }

  boolean foundTable() {
    return foundTable;
  }

  @Override
  public List<Finding> examine(Examination examination) {
    String table = examination.session().table();
    foundTable = examination.session().hasTable();
    if (!foundTable) {
      return List.of(
          Finding.problem(
              name(),
              "there is no table " + table,
              "no event can be written or delivered; or this is not the database or schema"
                  + " of the application",
              "name another --table or --url, or: outbox schema create"));
    }
    List<String> problems = OutboxSchema.problems(examination.session().dataSource(), table);
    if (problems.isEmpty()) {
      return List.of(Finding.ok(name(), table + " has its columns and indexes"));
    }
    return problems.stream()
        .map(
            problem ->
                Finding.problem(
                    name(),
                    problem,
                    problem.contains("index")
                        ? "a poll, a claim or a purge reads the whole table, and slows down as it grows"
                            + " it is"
                        : "events cannot be written or delivered, or not with all guarantees",
                    "stop what writes to the table, then: outbox schema migrate"))
        .toList();
  }
}
