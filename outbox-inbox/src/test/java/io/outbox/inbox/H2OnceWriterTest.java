package io.outbox.inbox;

import io.outbox.testdb.TestDatabase;

class H2OnceWriterTest extends OnceWriterContract {

  H2OnceWriterTest() {
    super(TestDatabase.H2);
  }
}
