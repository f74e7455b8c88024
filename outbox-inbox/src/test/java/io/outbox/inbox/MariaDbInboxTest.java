package io.outbox.inbox;

import io.outbox.testdb.TestDatabase;

class MariaDbInboxTest extends InboxContract {

  MariaDbInboxTest() {
    super(TestDatabase.MARIADB);
  }
}
