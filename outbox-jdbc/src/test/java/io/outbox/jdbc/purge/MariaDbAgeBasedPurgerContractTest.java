package io.outbox.jdbc.purge;

import io.outbox.jdbc.store.Target;

class MariaDbAgeBasedPurgerContractTest extends JdbcEventPurgerContract {

  MariaDbAgeBasedPurgerContractTest() {
    super(Target.MARIADB, new MySqlAgeBasedPurger(), true);
  }
}
