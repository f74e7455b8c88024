package io.outbox.jdbc.store;

import java.sql.Connection;

/**
 * MySQL and MariaDB count what a session reads. They keep what they have found in temporary tables,
 * and count what they read from these, too; what was written there is subtracted.
 */
abstract class MySqlFamilyOperatorCostContract extends OperatorCostContract {

  MySqlFamilyOperatorCostContract(Target target, int many) {
    super(target, many);
  }

  @Override
  long rowsRead(Connection conn) {
    long kept =
        JDBC
            .query(
                conn,
                """
                SHOW SESSION STATUS
                WHERE variable_name IN ('Handler_write', 'Handler_tmp_write')
                """,
                row -> row.getLong(2))
            .stream()
            .mapToLong(Long::longValue)
            .sum();
    return MySqlFamilyPollCostContract.rowsReadBy(conn) - kept;
  }

  @Override
  String numbers(int count) {
    return MySqlFamilyPollCostContract.numbers(count);
  }

  @Override
  String later(String at, String millis) {
    return "DATE_ADD(" + at + ", INTERVAL " + millis + " * 1000 MICROSECOND)";
  }

  @Override
  void takeStatistics(Connection conn) {
    JDBC.query(conn, "ANALYZE TABLE outbox_event", row -> row.getString(1));
  }

  @Override
  void takeStatisticsByHandOnly(Connection conn) {
    JDBC.update(conn, "ALTER TABLE outbox_event STATS_AUTO_RECALC = 0");
  }

  @Override
  int readsOfARow() {
    return 9;
  }
}
