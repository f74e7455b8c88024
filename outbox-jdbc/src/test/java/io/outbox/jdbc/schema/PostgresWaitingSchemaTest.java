package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class PostgresWaitingSchemaTest extends WaitingSchemaContract {

  PostgresWaitingSchemaTest() {
    super(Target.POSTGRES);
  }
}
