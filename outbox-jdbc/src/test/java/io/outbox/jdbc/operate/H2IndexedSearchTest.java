package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;

class H2IndexedSearchTest extends SearchContract {

  H2IndexedSearchTest() {
    super(Target.H2, true);
  }
}
