package io.outbox.jdbc.store;

import java.sql.Connection;

/** MySQL and MariaDB count what a session reads. */
abstract class MySqlFamilyKeyScanCostContract extends KeyScanCostContract {

  MySqlFamilyKeyScanCostContract(Target target) {
    super(target, 50_000);
  }

  @Override
  long rowsRead(Connection conn) {
    return MySqlFamilyPollCostContract.rowsReadBy(conn);
  }

  @Override
  String numbers(int many) {
    return MySqlFamilyPollCostContract.numbers(many);
  }

  @Override
  void takeStatistics(Connection conn) {
    JDBC.query(conn, "ANALYZE TABLE outbox_event", row -> row.getString(1));
  }
}
