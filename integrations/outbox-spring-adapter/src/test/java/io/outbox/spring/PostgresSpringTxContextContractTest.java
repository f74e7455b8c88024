package io.outbox.spring;

import io.outbox.testdb.TestDatabase;

class PostgresSpringTxContextContractTest extends SpringTxContextContract {
  PostgresSpringTxContextContractTest() {
    super(TestDatabase.POSTGRES, false);
  }
}
