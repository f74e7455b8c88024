package io.outbox.moving;

import io.outbox.testdb.TestDatabase;

class PostgresLibraryImportsTest extends LibraryImports {
  PostgresLibraryImportsTest() {
    super(TestDatabase.POSTGRES);
  }
}
