package io.outbox.jdbc.store;

import java.sql.Connection;

/** PostgreSQL counts what a transaction reads. */
abstract class PostgresOperatorCostContract extends OperatorCostContract {

  PostgresOperatorCostContract(int many) {
    super(Target.POSTGRES, many);
  }

  @Override
  long rowsRead(Connection conn) {
    return PostgresPollCostContract.rowsReadBy(conn);
  }

  @Override
  String numbers(int count) {
    return "generate_series(1, " + count + ") n";
  }

  @Override
  String later(String at, String millis) {
    return at + " + " + millis + " * INTERVAL '1 millisecond'";
  }

  @Override
  String zone() {
    return " WITH TIME ZONE";
  }

  @Override
  void takeStatistics(Connection conn) {
    JDBC.update(conn, "ANALYZE outbox_event");
  }

  @Override
  void takeStatisticsByHandOnly(Connection conn) {
    JDBC.update(conn, "ALTER TABLE outbox_event SET (autovacuum_enabled = false)");
  }

  @Override
  int readsOfARow() {
    return 1;
  }
}
