package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class PostgresActionTest extends ActionContract {

  PostgresActionTest() {
    super(Target.POSTGRES);
  }
}
