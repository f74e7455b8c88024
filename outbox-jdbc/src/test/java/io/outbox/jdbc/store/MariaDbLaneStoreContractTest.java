package io.outbox.jdbc.store;

class MariaDbLaneStoreContractTest extends JdbcLaneStoreContract {

  MariaDbLaneStoreContractTest() {
    super(Target.MARIADB);
  }
}
