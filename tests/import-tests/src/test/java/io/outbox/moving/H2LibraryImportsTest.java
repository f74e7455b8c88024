package io.outbox.moving;

import io.outbox.testdb.TestDatabase;

class H2LibraryImportsTest extends LibraryImports {
  H2LibraryImportsTest() {
    super(TestDatabase.H2);
  }
}
