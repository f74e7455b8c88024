package io.outbox.cli.doctor;

import io.outbox.cli.connect.JdbcUrl;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Makes all checks. */
public final class Doctor {

  private static final List<Check> CHECKS =
      List.of(
          new IndexCheck(),
          new ClaimPlanCheck(),
          new IsolationCheck(),
          new ClockCheck(),
          new VacuumCheck(),
          new OpenTransactionsCheck(),
          new PurgeCheck(),
          new ArchiveCheck(),
          new PartitionCheck(),
          new DeliveryCheck(),
          new ListenerCheck(),
          new LagCheck(),
          new LeaseCheck(),
          new KeyCheck(),
          new NodesCheck(),
          new OperatorCheck(),
          new SubscriptionCheck(),
          new UnknownStatusCheck());

  private Doctor() {}

  /** Everything that is found. Without a table there is nothing else to look at. */
  public static List<Finding> examine(Examination examination) {
    SchemaCheck schema = new SchemaCheck();
    List<Finding> findings = new ArrayList<>(examine(schema, examination));
    if (schema.foundTable()) {
      CHECKS.forEach(check -> findings.addAll(examine(check, examination)));
    }
    return findings;
  }

  private static List<Finding> examine(Check check, Examination examination) {
    try {
      return check.examine(examination);
    } catch (SQLException | RuntimeException e) {
      return List.of(
          Finding.warning(
              check.name(),
              "could not be checked: " + JdbcUrl.redact(String.valueOf(e.getMessage())),
              "nothing is known about it: the user may lack a privilege, or the table a column",
              "fix the other findings, or connect as a user with the privilege; then call"
                  + " doctor again"));
    }
  }
}
