package io.outbox.jdbc.operate;

import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlIndexedSearchTest extends SearchContract {

  MySqlIndexedSearchTest() {
    super(Target.MYSQL, true);
  }
}
