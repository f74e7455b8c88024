package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class H2OrderedSchemaTest extends OrderedSchemaContract {

  H2OrderedSchemaTest() {
    super(Target.H2);
  }
}
