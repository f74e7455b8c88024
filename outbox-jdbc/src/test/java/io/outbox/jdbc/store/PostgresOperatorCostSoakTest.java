package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("soak")
class PostgresOperatorCostSoakTest extends PostgresOperatorCostContract {

  PostgresOperatorCostSoakTest() {
    super(1_000_000);
  }
}
