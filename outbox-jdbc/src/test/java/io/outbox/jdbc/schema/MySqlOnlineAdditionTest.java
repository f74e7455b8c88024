package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlOnlineAdditionTest extends OnlineAdditionContract {

  MySqlOnlineAdditionTest() {
    super(
        Target.MYSQL,
        "SELECT count(*) FROM information_schema.processlist"
            + " WHERE state LIKE 'Waiting for table metadata lock%' AND db = database()");
  }
}
