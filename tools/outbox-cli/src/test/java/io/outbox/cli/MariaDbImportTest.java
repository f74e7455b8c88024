package io.outbox.cli;

import io.outbox.testdb.TestDatabase;

class MariaDbImportTest extends ImportContract {
  MariaDbImportTest() {
    super(TestDatabase.MARIADB);
  }
}
