package io.outbox.jdbc.archive;

import io.outbox.jdbc.store.Target;

class H2FileArchiveTest extends FileArchiveContract {

  H2FileArchiveTest() {
    super(Target.H2);
  }
}
