package io.outbox.jdbc.store;

class H2MemberStoreTest extends MemberStoreContract {

  H2MemberStoreTest() {
    super(Target.H2);
  }
}
