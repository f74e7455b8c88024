package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class H2ArchiveSchemaTest extends ArchiveSchemaContract {

  H2ArchiveSchemaTest() {
    super(Target.H2);
  }
}
