package io.outbox.cli.doctor;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.JdbcTemplate.RowMapper;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Overview;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** A table that is being examined, and what is found usual. */
public final class Examination {

  private final OutboxSession session;
  private final Connection connection;
  private final Database database;
  private final Duration retention;
  private final Duration transactionAge;
  private final JdbcTemplate jdbc = new JdbcTemplate();
  private Overview overview;

  /**
   * Begins one.
   *
   * @param retention how long finished events are meant to be kept
   * @param transactionAge a transaction may be open for so long
   */
  public Examination(OutboxSession session, Duration retention, Duration transactionAge)
      throws SQLException {
    this.session = session;
    this.connection = session.connection();
    this.database = Database.of(connection.getMetaData());
    this.retention = retention;
    this.transactionAge = transactionAge;
  }

  OutboxSession session() {
    return session;
  }

  Connection connection() {
    return connection;
  }

  Database database() {
    return database;
  }

  Duration retention() {
    return retention;
  }

  Duration transactionAge() {
    return transactionAge;
  }

  /** With its schema, safe to put into SQL. */
  String table() {
    return session.store().tableName();
  }

  /** Without its schema. */
  String simpleTable() {
    return table().substring(table().indexOf('.') + 1);
  }

  /** Null if none was named. */
  private String schema() {
    int dot = table().indexOf('.');
    return dot < 0 ? null : table().substring(0, dot);
  }

  Instant now() {
    return session.now();
  }

  OutboxOperator operator() {
    return session.operator();
  }

  /** Asked for once. */
  Overview overview() {
    if (overview == null) {
      overview = operator().overview();
    }
    return overview;
  }

  <T> List<T> query(String sql, RowMapper<T> mapper, Object... params) {
    return jdbc.query(connection, sql, mapper, params);
  }

  /** Whether there is a table of this name in the schema of the outbox table. */
  boolean hasSibling(String suffix) {
    String name = simpleTable() + "_" + suffix;
    if (database == Database.POSTGRESQL) {
      String full = schema() == null ? name : schema() + "." + name;
      return query("SELECT to_regclass(?) IS NOT NULL", row -> row.getBoolean(1), full).get(0);
    }
    String here = database == Database.H2 ? "SCHEMA()" : "DATABASE()";
    return !query(
            "SELECT 1 FROM information_schema.tables WHERE LOWER(table_name) = ?"
                + " AND LOWER(table_schema) = LOWER(COALESCE(?, "
                + here
                + "))",
            row -> 1,
            name.toLowerCase(Locale.ROOT),
            schema())
        .isEmpty();
  }
}
