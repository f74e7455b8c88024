package io.outbox.r2dbc;

import io.outbox.testdb.TestDatabase;

class PostgresRowsTest extends RowsContract {

  PostgresRowsTest() {
    super(TestDatabase.POSTGRES);
  }
}
