package io.outbox.spring;

import io.outbox.testdb.TestDatabase;

class PostgresListeningSpringTxContextContractTest extends SpringTxContextContract {
  PostgresListeningSpringTxContextContractTest() {
    super(TestDatabase.POSTGRES, true);
  }
}
