package io.outbox.jdbc.store;

class H2OutboxStoreContractTest extends JdbcOutboxStoreContract {

  H2OutboxStoreContractTest() {
    super(Target.H2);
  }
}
