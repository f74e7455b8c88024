package io.outbox.cli;

import io.outbox.testdb.TestDatabase;

class H2ImportTest extends ImportContract {
  H2ImportTest() {
    super(TestDatabase.H2);
  }
}
