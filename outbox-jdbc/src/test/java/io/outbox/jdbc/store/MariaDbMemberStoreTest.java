package io.outbox.jdbc.store;

class MariaDbMemberStoreTest extends MemberStoreContract {

  MariaDbMemberStoreTest() {
    super(Target.MARIADB);
  }
}
