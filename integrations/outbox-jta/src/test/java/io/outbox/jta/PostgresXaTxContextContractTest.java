package io.outbox.jta;

import io.outbox.testdb.TestDatabase;

class PostgresXaTxContextContractTest extends JtaTxContextContract {
  PostgresXaTxContextContractTest() {
    super(TestDatabase.POSTGRES, Narayana.Part.XA);
  }
}
