package io.outbox.r2dbc;

import io.outbox.testdb.TestDatabase;

class H2RowsTest extends RowsContract {

  H2RowsTest() {
    super(TestDatabase.H2);
  }
}
