package io.outbox.r2dbc;

import io.outbox.testdb.TestDatabase;

class H2PlainTest extends PlainContract {

  H2PlainTest() {
    super(TestDatabase.H2);
  }
}
