package io.outbox.jdbc.rules;

import io.outbox.jdbc.store.Target;

class PostgresDeliveryRulesTest extends JdbcDeliveryRulesContract {

  PostgresDeliveryRulesTest() {
    super(Target.POSTGRES);
  }
}
