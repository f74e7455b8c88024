package io.outbox.jdbc.purge;

import io.outbox.jdbc.store.Target;

class MariaDbEventPurgerContractTest extends JdbcEventPurgerContract {

  MariaDbEventPurgerContractTest() {
    super(Target.MARIADB, new MySqlEventPurger(), false);
  }
}
