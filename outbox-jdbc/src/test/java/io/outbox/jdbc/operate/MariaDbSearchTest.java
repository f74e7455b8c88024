package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class MariaDbSearchTest extends SearchContract {

  MariaDbSearchTest() {
    super(Target.MARIADB, false);
  }
}
