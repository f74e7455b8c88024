package io.outbox.micronaut;

import io.outbox.testdb.TestDatabase;

class H2TransactionsTest extends TransactionScenarios {
  H2TransactionsTest() {
    super(TestDatabase.H2);
  }
}
