package io.outbox.jdbc.purge;

import io.outbox.jdbc.store.Target;

class H2EventPurgerContractTest extends JdbcEventPurgerContract {

  H2EventPurgerContractTest() {
    super(Target.H2, new H2EventPurger(), false);
  }
}
