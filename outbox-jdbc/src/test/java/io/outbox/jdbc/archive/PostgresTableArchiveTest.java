package io.outbox.jdbc.archive;

import io.outbox.jdbc.store.Target;

class PostgresTableArchiveTest extends TableArchiveContract {

  PostgresTableArchiveTest() {
    super(Target.POSTGRES);
  }
}
