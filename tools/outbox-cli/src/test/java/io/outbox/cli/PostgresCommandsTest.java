package io.outbox.cli;

import io.outbox.testdb.TestDatabase;

class PostgresCommandsTest extends CommandsContract {
  PostgresCommandsTest() {
    super(TestDatabase.POSTGRES);
  }
}
