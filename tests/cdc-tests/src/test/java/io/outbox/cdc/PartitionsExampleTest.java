package io.outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.PostgresPartitions;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The code that docs/cdc.md shows. */
class PartitionsExampleTest {

  @Test
  void aTableInDailyPartitions() throws SQLException {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      DataSource dataSource = database.pooled(3);
      DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
      ThreadLocalTxContext txContext = new ThreadLocalTxContext();
      JdbcTransactionManager transactions = new JdbcTransactionManager(connections, txContext);

      // snippet: partitions
      OutboxSchema.createPartitioned(dataSource, "outbox_event");

      Outbox outbox =
          Outbox.writerOnly()
              .txContext(txContext)
              .outboxStore(JdbcOutboxStores.detect(dataSource))
              .connectionProvider(connections)
              .purger(new PostgresPartitions("outbox_event")) // creates days ahead, drops old ones
              .purgeRetention(Duration.ofDays(3))
              .build();
      // end

      try (outbox;
          Connection conn = dataSource.getConnection();
          Statement statement = conn.createStatement()) {
        transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
        ResultSet rows =
            statement.executeQuery("SELECT tableoid::regclass FROM outbox_event WHERE seq = 1");
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1)).startsWith("outbox_event_p20");
      }
    }
  }
}
