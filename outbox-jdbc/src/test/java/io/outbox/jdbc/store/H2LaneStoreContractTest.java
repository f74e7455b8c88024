package io.outbox.jdbc.store;

class H2LaneStoreContractTest extends JdbcLaneStoreContract {

  H2LaneStoreContractTest() {
    super(Target.H2);
  }
}
