package io.outbox.inbox;

import io.outbox.testdb.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlOnceWriterTest extends OnceWriterContract {

  MySqlOnceWriterTest() {
    super(TestDatabase.MYSQL);
  }
}
