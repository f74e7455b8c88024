package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class H2OperatorSchemaTest extends OperatorSchemaContract {

  H2OperatorSchemaTest() {
    super(Target.H2);
  }
}
