package io.outbox.jdbc.archive;

import io.outbox.jdbc.store.Target;

class PostgresFileArchiveTest extends FileArchiveContract {

  PostgresFileArchiveTest() {
    super(Target.POSTGRES);
  }
}
