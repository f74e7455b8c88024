package io.outbox.jdbc.archive;

import io.outbox.jdbc.store.Target;

class H2TableArchiveTest extends TableArchiveContract {

  H2TableArchiveTest() {
    super(Target.H2);
  }
}
