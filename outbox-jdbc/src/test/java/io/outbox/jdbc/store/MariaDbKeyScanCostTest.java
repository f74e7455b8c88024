package io.outbox.jdbc.store;

class MariaDbKeyScanCostTest extends MySqlFamilyKeyScanCostContract {

  MariaDbKeyScanCostTest() {
    super(Target.MARIADB);
  }
}
