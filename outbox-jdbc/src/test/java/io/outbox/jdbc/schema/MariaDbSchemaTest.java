package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbSchemaTest extends MySqlFamilySchemaContract {

  MariaDbSchemaTest() {
    super(Target.MARIADB);
  }
}
