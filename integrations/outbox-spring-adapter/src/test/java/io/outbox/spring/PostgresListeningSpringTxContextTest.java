package io.outbox.spring;

import io.outbox.testdb.TestDatabase;

class PostgresListeningSpringTxContextTest extends SpringTxContextScenarios {
  PostgresListeningSpringTxContextTest() {
    super(TestDatabase.POSTGRES, true);
  }
}
