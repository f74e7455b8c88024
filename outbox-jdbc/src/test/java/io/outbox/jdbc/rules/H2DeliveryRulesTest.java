package io.outbox.jdbc.rules;

import io.outbox.jdbc.store.Target;

class H2DeliveryRulesTest extends JdbcDeliveryRulesContract {

  H2DeliveryRulesTest() {
    super(Target.H2);
  }
}
