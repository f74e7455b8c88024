package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlSubscriptionSchemaTest extends SubscriptionSchemaContract {

  MySqlSubscriptionSchemaTest() {
    super(Target.MYSQL);
  }
}
