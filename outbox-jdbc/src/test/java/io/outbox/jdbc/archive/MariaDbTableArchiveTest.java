package io.outbox.jdbc.archive;

import io.outbox.jdbc.store.Target;

class MariaDbTableArchiveTest extends TableArchiveContract {

  MariaDbTableArchiveTest() {
    super(Target.MARIADB);
  }
}
