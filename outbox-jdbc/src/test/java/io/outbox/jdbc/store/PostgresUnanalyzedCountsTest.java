package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.operate.Count;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Overview;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Counts of a table that nobody has analyzed yet are useful. */
class PostgresUnanalyzedCountsTest {

  private static final int ROWS = 20_000;

  @Test
  void aBacklogIsEstimatedBeforeTheFirstAnalyze() throws SQLException {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      OutboxSchema.create(database.dataSource());
      JdbcTemplate jdbc = new JdbcTemplate();
      try (Connection conn = database.dataSource().getConnection()) {
        jdbc.update(conn, "ALTER TABLE outbox_event SET (autovacuum_enabled = false)");
        jdbc.update(
            conn,
            "INSERT INTO outbox_event"
                + " (event_id, event_type, payload, status, available_at, created_at)"
                + " SELECT 'e' || n, 'T', '{}', 0, now(), now() FROM generate_series(1, ?) n",
            ROWS);
      }
      Overview overview =
          OutboxOperator.of(
                  new DataSourceConnectionProvider(database.dataSource()),
                  JdbcOutboxStores.detect(database.dataSource()))
              .overview();

      Count pending = overview.states().get(LifecycleState.PENDING);
      assertThat(pending.precision()).isEqualTo(Count.Precision.ESTIMATED);
      assertThat(pending.value()).isBetween(ROWS / 3L, ROWS * 3L);
    }
  }
}
