package io.outbox.cdc;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.PostgresPartitions;
import io.outbox.spi.EventPurger;
import io.outbox.testdb.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** The same configuration, and a table in daily partitions of which one is dropped each second. */
class PartitionedPostgresCdcTest extends CdcContract {

  PartitionedPostgresCdcTest() {
    super(TestDatabase.POSTGRES, Map.of("wal_level", "logical"));
  }

  @Override
  void prepare() throws SQLException {
    OutboxSchema.createPartitioned(dataSource, "outbox_event");
    execute(Connector.sql("postgres.sql"));
  }

  /** Today's partition goes too, and comes again: no test can wait for tomorrow. */
  @Override
  EventPurger purger() {
    PostgresPartitions partitions = new PostgresPartitions();
    return new EventPurger() {
      @Override
      public int purge(Connection conn, Instant before, int limit) {
        partitions.dropBefore(conn, before.plus(Duration.ofDays(1)));
        partitions.ensureAhead(conn);
        return partitions.purge(conn, before, limit);
      }
    };
  }

  /**
   * PostgreSQL refuses a row that was on its way to the default partition when today's came again.
   */
  @Override
  void attempt(Runnable transaction) {
    for (int attempt = 1; ; attempt++) {
      try {
        transaction.run();
        return;
      } catch (OutboxStoreException e) {
        if (attempt == 10 || !e.getMessage().contains("violates partition constraint")) {
          throw e;
        }
      }
    }
  }

  @Override
  String file() {
    return "postgres.properties";
  }

  @Override
  Map<String, String> place(URI server) {
    return Map.of("database.dbname", database.name(), "database.user", "outbox_cdc");
  }
}
