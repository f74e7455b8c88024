package io.outbox.jdbc.archive;

import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlTableArchiveTest extends TableArchiveContract {

  MySqlTableArchiveTest() {
    super(Target.MYSQL);
  }
}
