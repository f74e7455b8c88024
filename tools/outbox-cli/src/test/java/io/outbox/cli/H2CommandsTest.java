package io.outbox.cli;

import io.outbox.testdb.TestDatabase;

class H2CommandsTest extends CommandsContract {
  H2CommandsTest() {
    super(TestDatabase.H2);
  }
}
