package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes indexes of large tables without locking writers out. PostgreSQL then waits until older
 * transactions have ended, whatever they do, and leaves an index that is of no use if it fails.
 */
final class PostgresIndexes {

  private static final Logger LOG = PrintableLogger.named("io.outbox.jdbc.OutboxSchema");

  private static final Pattern INDEX = Pattern.compile("CREATE INDEX (\\S+) ON (\\S+)");

  private static final int TRIES = 5;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PATIENCE_NANOS = TimeUnit.HOURS.toNanos(1);

  /** Deadlock, lock timeout, and a name that is taken: another node does the same. */
  private static final Set<String> IN_THE_WAY = Set.of("40P01", "55P03", "42P07");

  /** Below that an index is made faster than others notice. Before 14.4 it could lack rows. */
  private static final String IS_WORTH_IT =
      """
      SELECT 1 FROM pg_class
      WHERE oid = to_regclass(?) AND relkind = 'r' AND pg_relation_size(oid) > 8 * 1024 * 1024
        AND current_setting('server_version_num')::int NOT BETWEEN 140000 AND 140003
      """;

  private static final String STATE =
      """
      SELECT CASE WHEN i.indisvalid THEN 'VALID'
          WHEN EXISTS (SELECT 1 FROM pg_stat_progress_create_index p WHERE p.relid = i.indrelid)
            THEN 'BEING_MADE'
          ELSE 'BROKEN' END
      FROM pg_index i WHERE i.indexrelid = to_regclass(?) AND i.indrelid = to_regclass(?)
      """;

  private enum State {
    NONE,
    VALID,
    BEING_MADE,
    BROKEN
  }

  private final Connection conn;
  private final JdbcTemplate jdbc;

  PostgresIndexes(Connection conn, StoreErrors errors) {
    this.conn = conn;
    this.jdbc = errors.template("make an index");
  }

  /** False if it is no index, or better made at once; then nothing was done. */
  boolean createBesideWriters(String sql) throws SQLException {
    Matcher index = INDEX.matcher(sql);
    if (!index.lookingAt()) {
      return false;
    }
    String table = index.group(2);
    String name = table.substring(0, table.lastIndexOf('.') + 1) + index.group(1);
    if (state(name, table) != State.BROKEN
        && jdbc.query(conn, IS_WORTH_IT, row -> 1, table).isEmpty()) {
      return false;
    }
    LOG.log(
        Level.INFO,
        () -> "making index " + name + " beside writers, when older transactions have ended");
    create(name, table, "CREATE INDEX CONCURRENTLY" + sql.substring("CREATE INDEX".length()));
    LOG.log(Level.INFO, () -> "index " + name + " is made");
    return true;
  }

  private void create(String name, String table, String sql) throws SQLException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (int failures = 0; ; ) {
      State state = state(name, table);
      if (state == State.VALID) {
        return;
      }
      if (state == State.BEING_MADE && System.nanoTime() - deadline < 0) {
        pause();
        continue;
      }
      try {
        if (state != State.NONE) {
          execute("DROP INDEX CONCURRENTLY IF EXISTS " + name);
        }
        execute(sql);
      } catch (SQLException e) {
        if (!IN_THE_WAY.contains(e.getSQLState()) || ++failures == TRIES) {
          throw e;
        }
        pause();
      }
    }
  }

  private State state(String name, String table) {
    return jdbc.query(conn, STATE, row -> State.valueOf(row.getString(1)), name, table).stream()
        .findFirst()
        .orElse(State.NONE);
  }

  private static void pause() {
    LockSupport.parkNanos(PAUSE_NANOS + ThreadLocalRandom.current().nextLong(PAUSE_NANOS));
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }
}
