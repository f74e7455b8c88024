package io.outbox.jdbc.purge;

import io.outbox.jdbc.store.Target;

class PostgresEventPurgerContractTest extends JdbcEventPurgerContract {

  PostgresEventPurgerContractTest() {
    super(Target.POSTGRES, new PostgresEventPurger(), false);
  }
}
