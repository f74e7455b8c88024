package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlPollCostTest extends MySqlFamilyPollCostContract {

  MySqlPollCostTest() {
    super(Target.MYSQL, 50_000);
  }
}
