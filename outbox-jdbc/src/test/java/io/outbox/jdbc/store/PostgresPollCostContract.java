package io.outbox.jdbc.store;

import io.outbox.jdbc.purge.PostgresEventPurger;
import java.sql.Connection;

/** PostgreSQL counts what a transaction reads. */
abstract class PostgresPollCostContract extends PollCostContract {

  PostgresPollCostContract(int many) {
    super(Target.POSTGRES, new PostgresEventPurger(), many);
  }

  @Override
  long rowsRead(Connection conn) {
    return rowsReadBy(conn);
  }

  /** How many rows a connection has read of the table and its indexes; to be compared. */
  static long rowsReadBy(Connection conn) {
    return JDBC.query(
            conn,
            """
            SELECT sum(pg_stat_get_xact_tuples_returned(oid)) FROM pg_class
            WHERE relname LIKE 'outbox_event%'
            """,
            row -> row.getLong(1))
        .get(0);
  }

  @Override
  String numbers() {
    return "generate_series(1, " + many + ") n";
  }

  @Override
  void takeStatistics(Connection conn) {
    JDBC.update(conn, "ANALYZE outbox_event");
  }

  @Override
  void takeStatisticsByHandOnly(Connection conn) {
    JDBC.update(conn, "ALTER TABLE outbox_event SET (autovacuum_enabled = false)");
  }
}
