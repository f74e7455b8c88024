package io.outbox.micronaut;

import io.outbox.testdb.TestDatabase;

class PostgresTxContextContractTest extends MicronautTxContextContract {
  PostgresTxContextContractTest() {
    super(TestDatabase.POSTGRES);
  }
}
