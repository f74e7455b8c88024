package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbSubscriptionSchemaTest extends SubscriptionSchemaContract {

  MariaDbSubscriptionSchemaTest() {
    super(Target.MARIADB);
  }
}
