package io.outbox.jta;

import io.outbox.testdb.TestDatabase;

class PostgresXaTxContextTest extends JtaTxContextScenarios {
  PostgresXaTxContextTest() {
    super(TestDatabase.POSTGRES, Narayana.Part.XA);
  }
}
