package io.outbox.r2dbc;

import io.outbox.testdb.TestDatabase;

class PostgresSpringTest extends SpringContract {

  PostgresSpringTest() {
    super(TestDatabase.POSTGRES);
  }
}
