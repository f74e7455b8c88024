package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.jdbc.partition.PartitionStatus;
import java.sql.SQLException;
import java.util.List;

/** Whether a table in partitions by seq has partitions for the next events. */
final class PartitionCheck implements Check {

  /** A longer name is no table in partitions. */
  private static final int MAX_NAME = 40;

  private static final String REMEDY =
      "use a PartitionRotation as the purger of at least one node, let it run more often, or have"
          + " more partitions ahead";

  @Override
  public String name() {
    return "partitions";
  }

  @Override
  public List<Finding> examine(Examination examination) throws SQLException {
    String table = examination.table();
    if (examination.database() != Database.POSTGRESQL
        || table.substring(table.indexOf('.') + 1).length() > MAX_NAME) {
      return List.of();
    }
    return new PartitionRotation(table)
        .status(examination.connection()).stream().map(this::finding).toList();
  }

  private Finding finding(PartitionStatus status) {
    if (status.eventsAhead() == 0) {
      return Finding.warning(
          name(),
          "there is no partition for the next events",
          "they go to the default partition, and are deleted one by one",
          REMEDY);
    } else if (!status.defaultIsEmpty()) {
      return Finding.warning(
          name(),
          "there are events in the default partition",
          "partitions were created too late; these events are deleted one by one",
          REMEDY);
    }
    return Finding.ok(
        name(),
        "%s events can be written before a partition is missing; there are %s partitions, the oldest begins with seq %s"
            .formatted(
                Words.number(status.eventsAhead()),
                Words.number(status.partitions()),
                Words.number(status.keptBelow())));
  }
}
