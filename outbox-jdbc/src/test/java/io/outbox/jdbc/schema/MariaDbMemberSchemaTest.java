package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbMemberSchemaTest extends MemberSchemaContract {

  MariaDbMemberSchemaTest() {
    super(Target.MARIADB);
  }
}
