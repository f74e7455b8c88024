package io.outbox.jdbc.store;

class MariaDbConnectorJLaneStoreContractTest extends JdbcLaneStoreContract {

  MariaDbConnectorJLaneStoreContractTest() {
    super(Target.MARIADB_CONNECTOR_J);
  }
}
