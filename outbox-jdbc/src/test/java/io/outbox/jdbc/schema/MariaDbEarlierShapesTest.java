package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class MariaDbEarlierShapesTest extends EarlierShapesContract {

  MariaDbEarlierShapesTest() {
    super(Target.MARIADB);
  }
}
