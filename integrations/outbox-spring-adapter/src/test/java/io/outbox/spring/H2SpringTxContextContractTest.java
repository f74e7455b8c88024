package io.outbox.spring;

import io.outbox.testdb.TestDatabase;

class H2SpringTxContextContractTest extends SpringTxContextContract {
  H2SpringTxContextContractTest() {
    super(TestDatabase.H2, false);
  }
}
