package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlMemberStoreTest extends MemberStoreContract {

  MySqlMemberStoreTest() {
    super(Target.MYSQL);
  }
}
