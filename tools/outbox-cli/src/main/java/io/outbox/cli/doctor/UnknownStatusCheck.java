package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import java.util.List;

/** Rows that nobody delivers or deletes. */
final class UnknownStatusCheck implements Check {

  @Override
  public String name() {
    return "status";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    long unknown = examination.session().store().countUnknownStatus(examination.connection());
    if (unknown == 0) {
      return List.of(Finding.ok(name(), "every row has a status that is known"));
    }
    return List.of(
        Finding.problem(
            name(),
            Words.number(unknown) + " rows have a status other than 0, 1, 2 and 3",
            "they are neither delivered nor purged; other software wrote them",
            "SELECT event_id, status FROM "
                + examination.table()
                + " WHERE status NOT IN (0, 1, 2, 3); and give them one: 0 delivers them"));
  }
}
