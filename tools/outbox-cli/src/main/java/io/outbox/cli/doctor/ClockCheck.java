package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What time it is there, compared with here, and in which zone. */
final class ClockCheck implements Check {

  private static final Duration NOTABLE = Duration.ofSeconds(2);

  @Override
  public String name() {
    return "clock";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    examination.now(); // the first question takes longer: the store has to be found
    Instant before = Instant.now();
    Instant there = examination.now();
    Instant after = Instant.now();
    Duration uncertainty = Duration.between(before, after).dividedBy(2);
    Duration skew = Duration.between(before.plus(uncertainty), there);
    List<Finding> findings = new ArrayList<>();
    findings.add(skew(skew, uncertainty));
    findings.addAll(zone(examination));
    return findings;
  }

  Finding skew(Duration skew, Duration uncertainty) {
    Duration certain = skew.abs().minus(uncertainty);
    String says =
        "the database is "
            + Words.duration(skew.abs())
            + (skew.isNegative() ? " behind" : " ahead of")
            + " this machine";
    if (certain.compareTo(NOTABLE) <= 0) {
      return Finding.ok(name(), "the database and this machine agree about the time");
    }
    return Finding.warning(
        name(),
        says,
        "delivery uses the database's time, but created_at is the writer's: ages are wrong by that,"
            + " and so are delays and the order of events of several machines",
        "synchronize the clocks: see `timedatectl` or `chronyc tracking` on both");
  }

  private static List<Finding> zone(Examination examination) {
    return switch (examination.database()) {
      case POSTGRESQL ->
          List.of(
              Finding.ok(
                  "time zone",
                  "times are kept with a zone; the session's is "
                      + examination.query("SHOW TimeZone", row -> row.getString(1)).get(0)));
      case H2 -> List.of(Finding.ok("time zone", "times are kept with a zone"));
      case MARIADB, MYSQL -> List.of(mySqlZone(examination));
    };
  }

  private static Finding mySqlZone(Examination examination) {
    long offset =
        examination
            .query("SELECT TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), NOW())", row -> row.getLong(1))
            .get(0);
    return offset == 0
        ? Finding.ok("time zone", "sessions are in UTC, as the table is")
        : Finding.warning(
            "time zone",
            "sessions are " + offset + " minutes off UTC, and the table's times are UTC",
            "the outbox converts times; but rows that others insert with NOW() are due at the wrong"
                + " time",
            "in your own SQL use UTC_TIMESTAMP(6) for available_at and created_at");
  }
}
