package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class H2ActionTest extends ActionContract {

  H2ActionTest() {
    super(Target.H2);
  }
}
