package io.outbox.cli;

import io.outbox.testdb.TestDatabase;

class MariaDbCommandsTest extends CommandsContract {
  MariaDbCommandsTest() {
    super(TestDatabase.MARIADB);
  }
}
