package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class H2BulkReplayTest extends BulkReplayContract {

  H2BulkReplayTest() {
    super(Target.H2);
  }
}
