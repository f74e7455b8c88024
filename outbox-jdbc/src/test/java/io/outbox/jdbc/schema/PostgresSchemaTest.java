package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class PostgresSchemaTest extends SchemaContract {

  PostgresSchemaTest() {
    super(Target.POSTGRES);
  }

  @Override
  String specDdl() {
    return specDdl("JSONB", "SMALLINT", "TIMESTAMP(6)");
  }
}
