package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether finished events are deleted some day. */
final class PurgeCheck implements Check {

  /** A purger may run once a day. */
  private static final Duration PATIENCE = Duration.ofDays(1);

  @Override
  public String name() {
    return "purge";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    Optional<Instant> oldest = oldestFinished(examination);
    if (oldest.isEmpty()) {
      return List.of(Finding.ok(name(), "there are no finished events"));
    }
    Duration age = Duration.between(oldest.get(), examination.now());
    Duration retention = examination.retention();
    if (age.compareTo(retention.plus(PATIENCE)) <= 0) {
      return List.of(
          Finding.ok(name(), "the oldest finished event is " + Words.duration(age) + " old"));
    }
    return List.of(
        Finding.warning(
            name(),
            "the oldest finished event is "
                + Words.duration(age)
                + " old, and should have been deleted after "
                + Words.duration(retention),
            "no purger has run for long, or it keeps events longer; the table grows for" + " ever",
            "configure a purger (in Spring Boot outbox.purge.enabled), or regularly run: outbox"
                + " purge --until "
                + retention.toDays()
                + "d; if they are to be kept longer, say so with --retention"));
  }

  private static Optional<Instant> oldestFinished(Examination examination) {
    Database database = examination.database();
    if (database == Database.POSTGRESQL) {
      return examination
          .query(
              "SELECT coalesce(done_at, created_at) FROM "
                  + examination.table()
                  + " WHERE status IN (1, 3) ORDER BY coalesce(done_at, created_at) LIMIT 1",
              row -> database.instant(row, 1))
          .stream()
          .findFirst();
    }
    return Stream.of(1, 3)
        .map(
            status ->
                examination
                    .query(
                        "SELECT MIN(finished_at) FROM " + examination.table() + " WHERE status = ?",
                        row -> Optional.ofNullable(database.instant(row, 1)),
                        status)
                    .get(0)
                    .orElse(null))
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder());
  }
}
