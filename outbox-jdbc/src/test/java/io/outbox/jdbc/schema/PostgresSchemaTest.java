package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class PostgresSchemaTest extends SchemaContract {

  PostgresSchemaTest() {
    super(Target.POSTGRES);
  }
}
