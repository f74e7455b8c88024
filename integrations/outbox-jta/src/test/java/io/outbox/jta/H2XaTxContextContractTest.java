package io.outbox.jta;

import io.outbox.testdb.TestDatabase;

class H2XaTxContextContractTest extends JtaTxContextContract {
  H2XaTxContextContractTest() {
    super(TestDatabase.H2, Narayana.Part.XA);
  }
}
