package io.outbox.inbox;

import io.outbox.testdb.TestDatabase;

class MariaDbOnceWriterTest extends OnceWriterContract {

  MariaDbOnceWriterTest() {
    super(TestDatabase.MARIADB);
  }
}
