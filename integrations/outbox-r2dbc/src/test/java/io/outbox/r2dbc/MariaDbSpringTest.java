package io.outbox.r2dbc;

import io.outbox.testdb.TestDatabase;

class MariaDbSpringTest extends SpringContract {

  MariaDbSpringTest() {
    super(TestDatabase.MARIADB);
  }
}
