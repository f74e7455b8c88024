package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class PostgresOperatorSchemaTest extends OperatorSchemaContract {

  PostgresOperatorSchemaTest() {
    super(Target.POSTGRES);
  }
}
