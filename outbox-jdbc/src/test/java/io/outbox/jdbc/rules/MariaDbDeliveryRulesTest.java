package io.outbox.jdbc.rules;

import io.outbox.jdbc.store.Target;

class MariaDbDeliveryRulesTest extends JdbcDeliveryRulesContract {

  MariaDbDeliveryRulesTest() {
    super(Target.MARIADB);
  }
}
