package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class MariaDbActionTest extends ActionContract {

  MariaDbActionTest() {
    super(Target.MARIADB);
  }
}
