package io.outbox.jdbc.store;

class MariaDbOperatorCostTest extends MySqlFamilyOperatorCostContract {

  MariaDbOperatorCostTest() {
    super(Target.MARIADB, 20_000);
  }
}
