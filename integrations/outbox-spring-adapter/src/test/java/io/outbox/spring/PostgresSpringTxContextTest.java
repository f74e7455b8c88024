package io.outbox.spring;

import io.outbox.testdb.TestDatabase;

class PostgresSpringTxContextTest extends SpringTxContextScenarios {
  PostgresSpringTxContextTest() {
    super(TestDatabase.POSTGRES, false);
  }
}
