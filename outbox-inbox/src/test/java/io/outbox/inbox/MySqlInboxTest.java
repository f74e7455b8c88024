package io.outbox.inbox;

import io.outbox.testdb.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlInboxTest extends InboxContract {

  MySqlInboxTest() {
    super(TestDatabase.MYSQL);
  }
}
