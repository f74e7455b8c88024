package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

/** What MySQL and MariaDB have in common. */
abstract class MySqlFamilyOrderedSchemaContract extends OrderedSchemaContract {

  MySqlFamilyOrderedSchemaContract(Target target) {
    super(target);
  }

  @Override
  String dropIndex(String name) {
    return super.dropIndex(name) + " ON outbox_event";
  }

  @Override
  String dropSchema(String name) {
    return "DROP SCHEMA " + name;
  }
}
