package io.outbox.jdbc.purge;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.BeforeAll;

class H2ArchivingPurgerContractTest extends JdbcEventPurgerContract {

  H2ArchivingPurgerContractTest() {
    super(Target.H2, ArchivingPurger.toTable("outbox_event"), false);
  }

  @BeforeAll
  static void createArchive() {
    OutboxSchema.createArchive(Target.H2.dataSource(), "outbox_event");
  }
}
