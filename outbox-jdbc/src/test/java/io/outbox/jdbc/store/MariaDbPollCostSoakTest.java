package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("soak")
class MariaDbPollCostSoakTest extends MySqlFamilyPollCostContract {

  MariaDbPollCostSoakTest() {
    super(Target.MARIADB, 1_000_000);
  }
}
