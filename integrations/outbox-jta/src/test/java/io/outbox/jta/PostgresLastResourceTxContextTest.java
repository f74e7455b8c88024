package io.outbox.jta;

import io.outbox.testdb.TestDatabase;

class PostgresLastResourceTxContextTest extends JtaTxContextScenarios {
  PostgresLastResourceTxContextTest() {
    super(TestDatabase.POSTGRES, Narayana.Part.LAST_RESOURCE);
  }
}
