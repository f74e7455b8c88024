package io.outbox.quarkus.deployment;

import io.quarkus.test.QuarkusUnitTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresTransactionsTest extends TransactionsContract {

  @Order(1)
  @RegisterExtension
  static final BeforeAllCallback EMPTIED = Postgres.emptied("transactions");

  @Order(2)
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION = Postgres.configure("transactions", shop());
}
