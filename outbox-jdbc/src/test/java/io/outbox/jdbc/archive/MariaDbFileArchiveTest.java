package io.outbox.jdbc.archive;

import io.outbox.jdbc.store.Target;

class MariaDbFileArchiveTest extends FileArchiveContract {

  MariaDbFileArchiveTest() {
    super(Target.MARIADB);
  }
}
