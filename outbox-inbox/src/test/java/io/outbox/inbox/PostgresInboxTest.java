package io.outbox.inbox;

import io.outbox.testdb.TestDatabase;

class PostgresInboxTest extends InboxContract {

  PostgresInboxTest() {
    super(TestDatabase.POSTGRES);
  }
}
