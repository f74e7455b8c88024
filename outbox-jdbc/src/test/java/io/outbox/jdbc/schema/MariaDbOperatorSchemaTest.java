package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbOperatorSchemaTest extends MySqlFamilyOperatorSchemaContract {

  MariaDbOperatorSchemaTest() {
    super(Target.MARIADB);
  }
}
