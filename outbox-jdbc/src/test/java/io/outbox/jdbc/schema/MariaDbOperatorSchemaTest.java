package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbOperatorSchemaTest extends OperatorSchemaContract {

  MariaDbOperatorSchemaTest() {
    super(Target.MARIADB);
  }
}
