package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbSchemaTest extends SchemaContract {

  MariaDbSchemaTest() {
    super(Target.MARIADB);
  }
}
