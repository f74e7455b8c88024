package io.outbox.r2dbc;

import io.outbox.testdb.TestDatabase;

class H2SpringTest extends SpringContract {

  H2SpringTest() {
    super(TestDatabase.H2);
  }
}
