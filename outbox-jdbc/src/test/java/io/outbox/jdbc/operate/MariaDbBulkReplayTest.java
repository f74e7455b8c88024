package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class MariaDbBulkReplayTest extends BulkReplayContract {

  MariaDbBulkReplayTest() {
    super(Target.MARIADB);
  }
}
