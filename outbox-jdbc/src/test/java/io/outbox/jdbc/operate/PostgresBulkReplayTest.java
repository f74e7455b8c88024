package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class PostgresBulkReplayTest extends BulkReplayContract {

  PostgresBulkReplayTest() {
    super(Target.POSTGRES);
  }
}
