package io.outbox.cli;

import io.outbox.testdb.TestDatabase;

class PostgresImportTest extends ImportContract {
  PostgresImportTest() {
    super(TestDatabase.POSTGRES);
  }
}
