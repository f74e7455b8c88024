package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class PostgresMemberSchemaTest extends MemberSchemaContract {

  PostgresMemberSchemaTest() {
    super(Target.POSTGRES);
  }
}
