package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import io.outbox.util.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Transactions that are open for so long that they keep the database from cleaning up. */
final class OpenTransactionsCheck implements Check {

  private static final String POSTGRES_SESSIONS =
      """
      SELECT pid, coalesce(extract(epoch FROM clock_timestamp() - xact_start), 0)::bigint,
        concat_ws(' ', 'of', usename, nullif(application_name, ''), '(' || state || ')')
      FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
        AND (datname = current_database() OR datname IS NULL)
        AND backend_type IN ('client backend', 'walsender')
        AND xact_start < clock_timestamp() - make_interval(secs => ?)
      ORDER BY xact_start LIMIT 5
      """;

  private static final String POSTGRES_PREPARED =
      """
      SELECT gid, extract(epoch FROM clock_timestamp() - prepared)::bigint, 'of ' || owner
      FROM pg_prepared_xacts
      WHERE database = current_database() AND prepared < clock_timestamp() - make_interval(secs => ?)
      ORDER BY prepared LIMIT 5
      """;

  private static final String MYSQL_FAMILY =
      """
      SELECT trx_mysql_thread_id, TIMESTAMPDIFF(SECOND, trx_started, NOW()),
        CONCAT('(', trx_state, ')')
      FROM information_schema.innodb_trx
      WHERE trx_mysql_thread_id <> CONNECTION_ID() AND trx_mysql_thread_id <> 0
        AND trx_started <= NOW() - INTERVAL ? SECOND
      ORDER BY trx_started LIMIT 5
      """;

  private record Open(String id, Duration age, String what, String todo) {}

  @Override
  public String name() {
    return "transactions";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    List<Open> open = new ArrayList<>();
    long seconds = examination.transactionAge().toSeconds();
    switch (examination.database()) {
      case POSTGRESQL -> {
        open.addAll(
            open(examination, POSTGRES_SESSIONS, seconds, "SELECT pg_terminate_backend(%s);"));
        open.addAll(open(examination, POSTGRES_PREPARED, seconds, "ROLLBACK PREPARED '%s';"));
      }
      case MARIADB, MYSQL -> open.addAll(open(examination, MYSQL_FAMILY, seconds, "KILL %s;"));
      case H2 -> {
        return List.of();
      }
    }
    if (open.isEmpty()) {
      return List.of(
          Finding.ok(
              name(),
              "none is open for more than " + Words.duration(examination.transactionAge())));
    }
    return open.stream().map(this::finding).toList();
  }

  private static List<Open> open(Examination examination, String sql, long seconds, String todo) {
    return examination.query(
        sql,
        row ->
            new Open(
                row.getString(1),
                Duration.ofSeconds(row.getLong(2)),
                row.getString(3),
                todo.formatted(row.getString(1).replace("'", "''"))),
        (int) seconds);
  }

  private Finding finding(Open open) {
    return Finding.warning(
        name(),
        "transaction "
            + Printable.line(open.id())
            + " "
            + Printable.line(String.valueOf(open.what()))
            + " is open since "
            + Words.duration(open.age()),
        "the database cannot clean up rows updated or deleted since: claims get slower",
        "end it; or: " + Printable.line(open.todo()));
  }
}
