package io.outbox.jdbc.store;

class PostgresOutboxStoreContractTest extends JdbcOutboxStoreContract {

  PostgresOutboxStoreContractTest() {
    super(Target.POSTGRES);
  }
}
