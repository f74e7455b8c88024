package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class MariaDbIndexedSearchTest extends SearchContract {

  MariaDbIndexedSearchTest() {
    super(Target.MARIADB, true);
  }
}
