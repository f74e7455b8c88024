package io.outbox.jdbc.purge;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.BeforeAll;

class PostgresArchivingPurgerContractTest extends JdbcEventPurgerContract {

  PostgresArchivingPurgerContractTest() {
    super(Target.POSTGRES, ArchivingPurger.toTable("outbox_event"), false);
  }

  @BeforeAll
  static void createArchive() {
    OutboxSchema.createArchive(Target.POSTGRES.dataSource(), "outbox_event");
  }
}
