package io.outbox.jdbc.store;

class MariaDbBatchBytesTest extends BatchBytesContract {

  MariaDbBatchBytesTest() {
    super(Target.MARIADB, new MySqlOutboxStore());
  }
}
