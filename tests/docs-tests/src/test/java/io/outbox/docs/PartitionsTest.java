package io.outbox.docs;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The partitions that docs/table.md shows. */
class PartitionsTest {

  @Test
  void aTableInPartitionsDelivers() throws Exception {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      DataSource dataSource = database.pooled(5);
      DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
      ThreadLocalTxContext txContext = new ThreadLocalTxContext();
      JdbcTransactionManager transactions = new JdbcTransactionManager(connections, txContext);
      CountDownLatch delivered = new CountDownLatch(1);
      DefaultListenerRegistry registry =
          new DefaultListenerRegistry()
              .registerDefault(
                  event -> {
                    delivered.countDown();
                    return DispatchResult.done();
                  });

      // snippet: rotation
      PartitionRotation rotation = new PartitionRotation("outbox_event");
      rotation.create(dataSource); // instead of OutboxSchema.create

      Outbox outbox =
          Outbox.multiNode()
              .claimLocking(Duration.ofMinutes(5))
              .txContext(txContext)
              .connectionProvider(connections)
              .outboxStore(JdbcOutboxStores.detect(dataSource))
              .listenerRegistry(registry)
              .purger(rotation) // instead of PostgresEventPurger
              .purgeRetention(Duration.ofHours(2))
              .purgeIntervalSeconds(60)
              .build();
      // end

      try (outbox;
          Connection conn = dataSource.getConnection()) {
        transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
        assertThat(delivered.await(60, SECONDS)).isTrue();
        assertThat(rotation.status(conn).orElseThrow().partitions()).isGreaterThanOrEqualTo(2);
      }
    }
  }
}
