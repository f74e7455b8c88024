package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class H2SubscriptionSchemaTest extends SubscriptionSchemaContract {

  H2SubscriptionSchemaTest() {
    super(Target.H2);
  }
}
