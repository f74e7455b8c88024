package io.outbox.jta;

import io.outbox.testdb.TestDatabase;

class H2LastResourceTxContextContractTest extends JtaTxContextContract {
  H2LastResourceTxContextContractTest() {
    super(TestDatabase.H2, Narayana.Part.LAST_RESOURCE);
  }
}
