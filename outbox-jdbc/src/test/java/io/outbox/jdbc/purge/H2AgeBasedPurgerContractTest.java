package io.outbox.jdbc.purge;

import io.outbox.jdbc.store.Target;

class H2AgeBasedPurgerContractTest extends JdbcEventPurgerContract {

  H2AgeBasedPurgerContractTest() {
    super(Target.H2, new H2AgeBasedPurger(), true);
  }
}
