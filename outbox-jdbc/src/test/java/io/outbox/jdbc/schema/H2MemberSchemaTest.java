package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class H2MemberSchemaTest extends MemberSchemaContract {

  H2MemberSchemaTest() {
    super(Target.H2);
  }
}
