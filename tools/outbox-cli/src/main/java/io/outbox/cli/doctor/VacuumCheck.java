package io.outbox.cli.doctor;

import io.outbox.cli.output.Words;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Whether PostgreSQL cleans up behind updates and deletes. */
final class VacuumCheck implements Check {

  private static final long MANY_DEAD = 50_000;
  private static final long MANY_LIVE = 50_000;

  private static final String SQL =
      """
      SELECT s.n_live_tup, s.n_dead_tup,
        greatest(s.last_vacuum, s.last_autovacuum), greatest(s.last_analyze, s.last_autoanalyze),
        current_setting('autovacuum')::boolean,
        NOT coalesce('autovacuum_enabled=false' = ANY (c.reloptions), false)
      FROM pg_stat_all_tables s JOIN pg_class c ON c.oid = s.relid
      WHERE s.relid = to_regclass(?)
      """;

  private record State(
      long live, long dead, Instant vacuum, Instant analyze, boolean onServer, boolean onTable) {}

  @Override
  public String name() {
    return "vacuum";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    if (examination.database() != Database.POSTGRESQL) {
      return List.of();
    }
    String table = examination.table();
    return examination
        .query(
            SQL,
            row ->
                new State(
                    row.getLong(1),
                    row.getLong(2),
                    instant(row.getObject(3, OffsetDateTime.class)),
                    instant(row.getObject(4, OffsetDateTime.class)),
                    row.getBoolean(5),
                    row.getBoolean(6)),
            table)
        .stream()
        .flatMap(state -> findings(state, table).stream())
        .toList();
  }

  private static Instant instant(OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  private List<Finding> findings(State state, String table) {
    List<Finding> findings = new ArrayList<>();
    if (!state.onServer() || !state.onTable()) {
      findings.add(
          Finding.problem(
              name(),
              "autovacuum is switched off for "
                  + (state.onTable() ? "the whole server" : "this table"),
              "dead rows of updates and deletes stay, and every claim reads over them",
              state.onTable()
                  ? "ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf();"
                  : "ALTER TABLE " + table + " RESET (autovacuum_enabled);"));
    }
    if (state.dead() > MANY_DEAD && state.dead() > state.live() / 5) {
      findings.add(
          Finding.warning(
              name(),
              Words.number(state.dead())
                  + " dead rows beside "
                  + Words.number(state.live())
                  + " live ones; last vacuum: "
                  + (state.vacuum() == null ? "never" : Words.time(state.vacuum())),
              "claims read over them; a transaction that is held open keeps them, or autovacuum is"
                  + " too slow",
              "end old transactions (see below), then: VACUUM (VERBOSE) " + table + ";"));
    }
    if (state.live() > MANY_LIVE && state.analyze() == null) {
      findings.add(
          Finding.warning(
              name(),
              "the table has never been analyzed",
              "plans and counts are guesses",
              "ANALYZE " + table + ";"));
    }
    if (findings.isEmpty()) {
      findings.add(
          Finding.ok(
              name(),
              Words.number(state.dead())
                  + " dead rows beside "
                  + Words.number(state.live())
                  + " live ones, autovacuum is on"));
    }
    return findings;
  }
}
