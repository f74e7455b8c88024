package io.outbox.spring;

import io.outbox.testdb.TestDatabase;

class H2ListeningSpringTxContextContractTest extends SpringTxContextContract {
  H2ListeningSpringTxContextContractTest() {
    super(TestDatabase.H2, true);
  }
}
