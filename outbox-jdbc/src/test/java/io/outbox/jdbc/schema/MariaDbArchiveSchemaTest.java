package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbArchiveSchemaTest extends ArchiveSchemaContract {

  MariaDbArchiveSchemaTest() {
    super(Target.MARIADB);
  }
}
