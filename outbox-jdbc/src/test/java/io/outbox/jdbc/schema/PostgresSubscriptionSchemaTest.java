package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class PostgresSubscriptionSchemaTest extends SubscriptionSchemaContract {

  PostgresSubscriptionSchemaTest() {
    super(Target.POSTGRES);
  }
}
