package io.outbox.jdbc.store;

import java.sql.Connection;

class PostgresKeyScanCostTest extends KeyScanCostContract {

  PostgresKeyScanCostTest() {
    super(Target.POSTGRES, 50_000);
  }

  @Override
  long rowsRead(Connection conn) {
    return PostgresPollCostContract.rowsReadBy(conn);
  }

  @Override
  String numbers(int many) {
    return "generate_series(1, " + many + ") n";
  }

  @Override
  void takeStatistics(Connection conn) {
    JDBC.update(conn, "VACUUM ANALYZE outbox_event");
  }
}
