package io.outbox.jdbc.store;

class PostgresPollCostTest extends PostgresPollCostContract {

  PostgresPollCostTest() {
    super(50_000);
  }
}
