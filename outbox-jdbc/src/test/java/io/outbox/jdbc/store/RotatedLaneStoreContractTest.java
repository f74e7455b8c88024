package io.outbox.jdbc.store;

class RotatedLaneStoreContractTest extends JdbcLaneStoreContract {

  RotatedLaneStoreContractTest() {
    super(Target.POSTGRES_ROTATED);
  }
}
