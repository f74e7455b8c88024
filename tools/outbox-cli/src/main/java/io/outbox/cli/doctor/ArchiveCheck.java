package io.outbox.cli.doctor;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import java.util.List;

/** Whether the archive table, if there is one, has its indexes. */
final class ArchiveCheck implements Check {

  @Override
  public String name() {
    return "archive";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    if (!examination.hasSibling("archive")) {
      return List.of(Finding.ok(name(), "there is no archive table; a purge deletes events"));
    }
    List<String> problems =
        OutboxSchema.problems(
            examination.session().dataSource(), examination.session().table(), Addition.ARCHIVE);
    return problems.isEmpty()
        ? List.of(Finding.ok(name(), "the archive table has its indexes"))
        : problems.stream()
            .map(
                problem ->
                    Finding.warning(
                        name(),
                        problem,
                        "searches of the archive read the whole table",
                        "outbox schema create --archive"))
            .toList();
  }
}
