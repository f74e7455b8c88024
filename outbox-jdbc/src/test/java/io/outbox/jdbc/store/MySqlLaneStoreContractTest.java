package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlLaneStoreContractTest extends JdbcLaneStoreContract {

  MySqlLaneStoreContractTest() {
    super(Target.MYSQL);
  }
}
