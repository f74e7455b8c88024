package io.outbox.cdc;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.purge.MySqlAgeBasedPurger;
import io.outbox.spi.EventPurger;
import io.outbox.testdb.TestDatabase;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** The file is for MariaDB, and says what is different for MySQL. */
@Tag("mysql")
class MySqlCdcTest extends CdcContract {

  MySqlCdcTest() {
    super(
        TestDatabase.MYSQL, Map.of("log-bin", "binlog", "binlog-format", "ROW", "server-id", "1"));
  }

  @Override
  void prepare() {
    OutboxSchema.create(dataSource);
    OutboxSchema.createAgeIndex(dataSource, "outbox_event");
  }

  @Override
  EventPurger purger() {
    return new MySqlAgeBasedPurger();
  }

  @Override
  String file() {
    return "mariadb.properties";
  }

  @Override
  Map<String, String> place(URI server) {
    return Map.of(
        "connector.class",
        "io.debezium.connector.mysql.MySqlConnector",
        "database.include.list",
        database.name(),
        "table.include.list",
        database.name() + ".outbox_event");
  }
}
