package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class H2SchemaTest extends SchemaContract {

  H2SchemaTest() {
    super(Target.H2);
  }
}
