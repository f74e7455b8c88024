package io.outbox.jdbc.purge;

import io.outbox.jdbc.store.Target;

class PostgresAgeBasedPurgerContractTest extends JdbcEventPurgerContract {

  PostgresAgeBasedPurgerContractTest() {
    super(Target.POSTGRES, new PostgresAgeBasedPurger(), true);
  }
}
