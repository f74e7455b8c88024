package io.outbox.quarkus.deployment;

import io.quarkus.test.QuarkusUnitTest;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresTransactionsTest extends TransactionsContract {

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION = Postgres.configure("transactions", shop());
}
