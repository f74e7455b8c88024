package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class PostgresSearchTest extends SearchContract {

  PostgresSearchTest() {
    super(Target.POSTGRES, false);
  }
}
