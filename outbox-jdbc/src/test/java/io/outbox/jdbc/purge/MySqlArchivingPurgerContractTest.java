package io.outbox.jdbc.purge;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class MySqlArchivingPurgerContractTest extends JdbcEventPurgerContract {

  MySqlArchivingPurgerContractTest() {
    super(Target.MYSQL, ArchivingPurger.toTable("outbox_event"), false);
  }

  @BeforeAll
  static void createArchive() {
    OutboxSchema.createArchive(Target.MYSQL.dataSource(), "outbox_event");
  }
}
