package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class PostgresOrderedSchemaTest extends OrderedSchemaContract {

  PostgresOrderedSchemaTest() {
    super(Target.POSTGRES);
  }
}
