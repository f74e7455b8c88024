package io.outbox.jdbc.archive;

import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlFileArchiveTest extends FileArchiveContract {

  MySqlFileArchiveTest() {
    super(Target.MYSQL);
  }
}
