package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbOnlineAdditionTest extends OnlineAdditionContract {

  MariaDbOnlineAdditionTest() {
    super(
        Target.MARIADB,
        "SELECT count(*) FROM information_schema.processlist"
            + " WHERE state LIKE 'Waiting for table metadata lock%' AND db = database()");
  }
}
