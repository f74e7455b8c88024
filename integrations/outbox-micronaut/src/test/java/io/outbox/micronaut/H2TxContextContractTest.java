package io.outbox.micronaut;

import io.outbox.testdb.TestDatabase;

class H2TxContextContractTest extends MicronautTxContextContract {
  H2TxContextContractTest() {
    super(TestDatabase.H2);
  }
}
