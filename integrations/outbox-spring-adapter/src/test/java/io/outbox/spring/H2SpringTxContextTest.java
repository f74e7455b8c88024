package io.outbox.spring;

import io.outbox.testdb.TestDatabase;

class H2SpringTxContextTest extends SpringTxContextScenarios {
  H2SpringTxContextTest() {
    super(TestDatabase.H2, false);
  }
}
