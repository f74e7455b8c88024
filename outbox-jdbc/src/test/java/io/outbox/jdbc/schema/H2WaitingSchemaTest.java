package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class H2WaitingSchemaTest extends WaitingSchemaContract {

  H2WaitingSchemaTest() {
    super(Target.H2);
  }
}
