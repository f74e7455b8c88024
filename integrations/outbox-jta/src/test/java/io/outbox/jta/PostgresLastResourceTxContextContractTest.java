package io.outbox.jta;

import io.outbox.testdb.TestDatabase;

class PostgresLastResourceTxContextContractTest extends JtaTxContextContract {
  PostgresLastResourceTxContextContractTest() {
    super(TestDatabase.POSTGRES, Narayana.Part.LAST_RESOURCE);
  }
}
