package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("soak")
class PostgresPollCostSoakTest extends PostgresPollCostContract {

  PostgresPollCostSoakTest() {
    super(1_000_000);
  }
}
