package io.outbox.jta;

import io.outbox.testdb.TestDatabase;

class H2XaTxContextTest extends JtaTxContextScenarios {
  H2XaTxContextTest() {
    super(TestDatabase.H2, Narayana.Part.XA);
  }
}
