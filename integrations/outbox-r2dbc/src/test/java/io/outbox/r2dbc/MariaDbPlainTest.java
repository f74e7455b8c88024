package io.outbox.r2dbc;

import io.outbox.testdb.TestDatabase;

class MariaDbPlainTest extends PlainContract {

  MariaDbPlainTest() {
    super(TestDatabase.MARIADB);
  }
}
