package io.outbox.jdbc.store;

import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlBatchBytesTest extends BatchBytesContract {

  MySqlBatchBytesTest() {
    super(Target.MYSQL, new MySqlOutboxStore());
  }
}
