package io.outbox.jdbc.store;

class MariaDbConnectorJOutboxStoreContractTest extends JdbcOutboxStoreContract {

  MariaDbConnectorJOutboxStoreContractTest() {
    super(Target.MARIADB_CONNECTOR_J);
  }
}
