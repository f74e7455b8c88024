package io.outbox.inbox;

import io.outbox.testdb.TestDatabase;

class PostgresOnceWriterTest extends OnceWriterContract {

  PostgresOnceWriterTest() {
    super(TestDatabase.POSTGRES);
  }
}
