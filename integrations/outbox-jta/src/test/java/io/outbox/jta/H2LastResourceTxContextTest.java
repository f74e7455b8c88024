package io.outbox.jta;

import io.outbox.testdb.TestDatabase;

class H2LastResourceTxContextTest extends JtaTxContextScenarios {
  H2LastResourceTxContextTest() {
    super(TestDatabase.H2, Narayana.Part.LAST_RESOURCE);
  }
}
