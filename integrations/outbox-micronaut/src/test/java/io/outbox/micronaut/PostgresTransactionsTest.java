package io.outbox.micronaut;

import io.outbox.testdb.TestDatabase;
import org.junit.jupiter.api.Test;

class PostgresTransactionsTest extends TransactionScenarios {
  PostgresTransactionsTest() {
    super(TestDatabase.POSTGRES);
  }

  @Test
  void R2_aTransactionThatTheDatabaseTimesOutDeliversNothing() throws Exception {
    endIdleSession();
  }
}
