package io.outbox.inbox;

import io.outbox.testdb.TestDatabase;

class H2InboxTest extends InboxContract {

  H2InboxTest() {
    super(TestDatabase.H2);
  }
}
