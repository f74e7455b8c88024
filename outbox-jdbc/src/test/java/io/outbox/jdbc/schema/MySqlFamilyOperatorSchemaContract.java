package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

/** What MySQL and MariaDB have in common. */
abstract class MySqlFamilyOperatorSchemaContract extends OperatorSchemaContract {

  MySqlFamilyOperatorSchemaContract(Target target) {
    super(target);
  }

  @Override
  String dropSchema(String name) {
    return "DROP SCHEMA " + name;
  }
}
