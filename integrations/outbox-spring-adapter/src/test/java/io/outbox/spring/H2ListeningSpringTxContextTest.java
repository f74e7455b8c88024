package io.outbox.spring;

import io.outbox.testdb.TestDatabase;

class H2ListeningSpringTxContextTest extends SpringTxContextScenarios {
  H2ListeningSpringTxContextTest() {
    super(TestDatabase.H2, true);
  }
}
