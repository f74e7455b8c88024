package io.outbox.jdbc.store;

class PostgresOperatorCostTest extends PostgresOperatorCostContract {

  PostgresOperatorCostTest() {
    super(50_000);
  }
}
