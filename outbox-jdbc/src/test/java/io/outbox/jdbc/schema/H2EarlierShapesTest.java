package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class H2EarlierShapesTest extends EarlierShapesContract {

  H2EarlierShapesTest() {
    super(Target.H2);
  }
}
