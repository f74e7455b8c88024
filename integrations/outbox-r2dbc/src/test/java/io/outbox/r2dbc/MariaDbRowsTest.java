package io.outbox.r2dbc;

import io.outbox.testdb.TestDatabase;

class MariaDbRowsTest extends RowsContract {

  MariaDbRowsTest() {
    super(TestDatabase.MARIADB);
  }
}
