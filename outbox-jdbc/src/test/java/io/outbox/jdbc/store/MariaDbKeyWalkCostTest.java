package io.outbox.jdbc.store;

class MariaDbKeyWalkCostTest extends MySqlFamilyKeyWalkCostContract {

  MariaDbKeyWalkCostTest() {
    super(Target.MARIADB);
  }
}
