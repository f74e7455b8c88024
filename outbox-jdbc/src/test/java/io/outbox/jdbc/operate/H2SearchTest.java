package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class H2SearchTest extends SearchContract {

  H2SearchTest() {
    super(Target.H2, false);
  }
}
