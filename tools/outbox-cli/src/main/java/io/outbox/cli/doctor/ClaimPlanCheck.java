package io.outbox.cli.doctor;

import io.outbox.spi.PendingQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Whether the next events to deliver are found through an index, not by reading the table. */
final class ClaimPlanCheck implements Check {

  /** As PostgreSQL names the same index of a partition. */
  private static final String OF_A_PARTITION = "_available_at_seq_idx";

  @Override
  public String name() {
    return "claim plan";
  }

  @Override
  public List<Finding> examine(Examination examination) throws SQLException {
    List<String> plan = plan(examination);
    boolean scans = scansTable(examination, plan);
    String due = examination.simpleTable() + "_due";
    boolean usesIndex =
        plan.stream()
            .map(ClaimPlanCheck::lower)
            .anyMatch(line -> line.contains(lower(due)) || line.contains(OF_A_PARTITION));
    if (!scans && usesIndex) {
      return List.of(Finding.ok(name(), "due events are found through the index " + due));
    }
    return List.of(
        Finding.problem(
            name(),
            scans ? "a claim reads the whole table" : "a claim does not use the index " + due,
            "every poll costs more the more rows there are, finished ones included",
            examination.database() == Database.POSTGRESQL
                ? "correct the schema and the indexes if these checks say so, then: ANALYZE "
                    + examination.table()
                    + ";"
                : "correct the schema and the indexes if these checks say so, then: ANALYZE TABLE "
                    + examination.table()
                    + ";"));
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** In a transaction that changes nothing and is rolled back. */
  private static List<String> plan(Examination examination) throws SQLException {
    Instant now = examination.now();
    Connection conn = examination.connection();
    conn.setAutoCommit(false);
    try {
      RecordedPlans plans = new RecordedPlans(conn, examination.table());
      examination
          .session()
          .store()
          .fetchPending(
              plans.connection(),
              new PendingQuery(
                  now, Duration.ZERO, 100, now.minus(Duration.ofMinutes(5)), "doctor", null));
      return plans.lines();
    } finally {
      conn.rollback();
      conn.setAutoCommit(true);
    }
  }

  private static boolean scansTable(Examination examination, List<String> plan) {
    String table = lower(examination.simpleTable());
    return plan.stream()
        .map(ClaimPlanCheck::lower)
        .anyMatch(
            line ->
                switch (examination.database()) {
                  case POSTGRESQL -> line.contains("seq scan on " + table);
                  case H2 -> line.contains(".tablescan");
                  case MARIADB, MYSQL ->
                      line.contains("table=" + table + " ") && line.contains(" type=all ");
                });
  }
}
