package io.outbox.cli.doctor;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import java.util.List;

/** Whether the table says since when an event waits. */
final class LagCheck implements Check {

  @Override
  public String name() {
    return "lag";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    List<String> missing =
        OutboxSchema.problems(
            examination.session().dataSource(), examination.session().table(), Addition.WAITING);
    return List.of(
        missing.isEmpty()
            ? Finding.ok(name(), "it counts from when an event was first due")
            : Finding.warning(
                name(),
                String.join("; ", missing),
                "the lag counts from the last retry or deferral of an event, so that an outage can"
                    + " look healthy",
                "outbox schema migrate"));
  }
}
