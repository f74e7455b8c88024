package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbOrderedSchemaTest extends OrderedSchemaContract {

  MariaDbOrderedSchemaTest() {
    super(Target.MARIADB);
  }
}
