package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

/** What MySQL and MariaDB have in common. */
abstract class MySqlFamilySchemaContract extends SchemaContract {

  MySqlFamilySchemaContract(Target target) {
    super(target);
  }

  @Override
  String specDdl() {
    return specDdl("JSON", "TINYINT", "DATETIME(6)");
  }
}
