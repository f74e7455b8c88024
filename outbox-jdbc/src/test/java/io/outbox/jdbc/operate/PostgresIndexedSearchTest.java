package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class PostgresIndexedSearchTest extends SearchContract {

  PostgresIndexedSearchTest() {
    super(Target.POSTGRES, true);
  }
}
