package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlKeyScanCostTest extends MySqlFamilyKeyScanCostContract {

  MySqlKeyScanCostTest() {
    super(Target.MYSQL);
  }
}
