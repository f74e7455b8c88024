package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlKeyWalkCostTest extends MySqlFamilyKeyWalkCostContract {

  MySqlKeyWalkCostTest() {
    super(Target.MYSQL);
  }
}
