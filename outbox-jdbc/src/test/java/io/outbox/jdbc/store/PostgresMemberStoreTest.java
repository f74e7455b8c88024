package io.outbox.jdbc.store;

class PostgresMemberStoreTest extends MemberStoreContract {

  PostgresMemberStoreTest() {
    super(Target.POSTGRES);
  }
}
