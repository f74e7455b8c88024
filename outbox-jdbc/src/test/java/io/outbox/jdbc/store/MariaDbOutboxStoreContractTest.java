package io.outbox.jdbc.store;

class MariaDbOutboxStoreContractTest extends JdbcOutboxStoreContract {

  MariaDbOutboxStoreContractTest() {
    super(Target.MARIADB);
  }
}
