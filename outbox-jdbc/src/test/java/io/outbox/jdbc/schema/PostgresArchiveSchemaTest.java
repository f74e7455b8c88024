package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class PostgresArchiveSchemaTest extends ArchiveSchemaContract {

  PostgresArchiveSchemaTest() {
    super(Target.POSTGRES);
  }
}
