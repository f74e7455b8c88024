package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlOperatorCostTest extends MySqlFamilyOperatorCostContract {

  MySqlOperatorCostTest() {
    super(Target.MYSQL, 20_000);
  }
}
