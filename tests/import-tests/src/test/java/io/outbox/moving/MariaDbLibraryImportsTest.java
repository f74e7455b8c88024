package io.outbox.moving;

import io.outbox.testdb.TestDatabase;

class MariaDbLibraryImportsTest extends LibraryImports {
  MariaDbLibraryImportsTest() {
    super(TestDatabase.MARIADB);
  }
}
