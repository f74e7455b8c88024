package io.outbox.r2dbc;

import io.outbox.testdb.TestDatabase;

class PostgresPlainTest extends PlainContract {

  PostgresPlainTest() {
    super(TestDatabase.POSTGRES);
  }
}
