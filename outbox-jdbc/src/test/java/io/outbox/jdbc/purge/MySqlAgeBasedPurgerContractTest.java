package io.outbox.jdbc.purge;

import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlAgeBasedPurgerContractTest extends JdbcEventPurgerContract {

  MySqlAgeBasedPurgerContractTest() {
    super(Target.MYSQL, new MySqlAgeBasedPurger(), true);
  }
}
