package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class PostgresEarlierShapesTest extends EarlierShapesContract {

  PostgresEarlierShapesTest() {
    super(Target.POSTGRES);
  }
}
