package io.outbox.jdbc.store;

class MariaDbPollCostTest extends MySqlFamilyPollCostContract {

  MariaDbPollCostTest() {
    super(Target.MARIADB, 50_000);
  }
}
