package io.outbox.jdbc.purge;

import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlEventPurgerContractTest extends JdbcEventPurgerContract {

  MySqlEventPurgerContractTest() {
    super(Target.MYSQL, new MySqlEventPurger(), false);
  }
}
