package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlOutboxStoreContractTest extends JdbcOutboxStoreContract {

  MySqlOutboxStoreContractTest() {
    super(Target.MYSQL);
  }
}
