package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.Target;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MariaDbWaitingSchemaTest extends WaitingSchemaContract {

  MariaDbWaitingSchemaTest() {
    super(Target.MARIADB);
  }

  /** MySQL has no ADD COLUMN IF NOT EXISTS; MariaDB understands what is there instead. */
  @Test
  void theMigrationForMySqlAddsItOnce() throws Exception {
    OutboxSchema.create(dataSource);
    runMigrationForMySql();
    remove();

    runMigrationForMySql();

    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.WAITING)).isEmpty();
  }

  private void runMigrationForMySql() throws Exception {
    String file = "/schema/outbox-flyway/mysql/R__outbox_event_waiting.sql";
    try (InputStream in = OutboxSchema.class.getResourceAsStream(file)) {
      String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      execute(script.replaceAll("(?m)^--.*", "").strip().split(";\\s*"));
    }
  }
}
