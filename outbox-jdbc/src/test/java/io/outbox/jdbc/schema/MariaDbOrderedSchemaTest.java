package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbOrderedSchemaTest extends MySqlFamilyOrderedSchemaContract {

  MariaDbOrderedSchemaTest() {
    super(Target.MARIADB);
  }
}
